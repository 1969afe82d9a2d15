"""Exact results: policy tables, match-ups without sampling, best responses, and a compiled simulator."""
