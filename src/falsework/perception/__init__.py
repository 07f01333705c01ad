"""Eyes: from pictures of colour and depth to what stands where."""
