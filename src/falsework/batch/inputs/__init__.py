"""What is asked about: files by name, by folder, by pattern or by list; structures of one file; the gallery swept."""
