"""Bridges to SciPy, pymoo and COCO; each module is imported where it is used."""
