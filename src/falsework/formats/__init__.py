"""Files in and out, one format a file."""
