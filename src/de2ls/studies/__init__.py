"""Published comparisons run again: each as data, with the same few functions."""
