"""Where a camera is and how it bends light, from pictures of a board; needs OpenCV."""
