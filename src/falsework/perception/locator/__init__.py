"""From frames to bricks: levelled, registered, labelled, supposed, drawn, weighed and packed."""
