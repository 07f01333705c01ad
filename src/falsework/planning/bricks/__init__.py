"""What bricks add: grasps and presses, groups, and proofs that a brick never comes off."""
