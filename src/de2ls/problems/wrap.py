"""`problem`: a `Problem` from a user's own functions."""
