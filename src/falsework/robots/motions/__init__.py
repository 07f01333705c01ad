"""How arms move in time: ways between waypoints, how fast along them, and several arms at once."""
