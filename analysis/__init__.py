"""What results mean: summaries, intervals, screens, checks against known values."""
