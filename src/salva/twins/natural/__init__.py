"""Twins of plain texts: synonym tables, and pairs of texts made from them or by presets."""
