"""Reuse: a recoding that was learnt from one table, applied to rows that come later."""
