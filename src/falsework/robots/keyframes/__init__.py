"""Keyframes: where arms stand when they take and place parts, what is in their way there, and plans made of them."""
