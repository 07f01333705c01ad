"""What cameras saw and what was made of it: overlays, and a page with everything side by side."""
