"""The lineage: champions of ten years of differential evolution, on shared blocks.

One module per algorithm, which reads as its own page, and one per block: `members` (order, level,
contest), `memory`, `archive`, `draws`, `variation` (repair and crossover), `choice` (of operators),
`sizes`, `cma` and `polish`.
"""
