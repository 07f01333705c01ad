"""True surfaces behind triangles: which are cylinders, cones, spheres and threads, and where these are."""
