"""Is not Python."""

class Bot(:
