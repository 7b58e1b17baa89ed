"""Speed, each figure a ratio to the calibration loop of the same run."""
