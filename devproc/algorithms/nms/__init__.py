"""Non-maximum suppression: candidates by score, then suppression by overlap."""
