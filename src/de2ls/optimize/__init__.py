"""For people with a problem of their own: `minimize` and the ask/tell `Optimizer`."""
