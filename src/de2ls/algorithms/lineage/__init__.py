"""The lineage: champions of ten years of differential evolution, on shared blocks.

One module per algorithm, which reads as its own page, and one per block: `members` (order, level),
`contest` (trials against parents), `memory`, `archive`, `draws`, `variation` (donors, repair and
crossover), `choice` (of operators), `sizes`, `cma` and `polish`. A search makes all trials of a
generation by one compiled call or two, and its selection by a few.
"""
