"""The game for programs of other makes: language models, benchmarks and training data for them, other frameworks.

Its modules are entered one by one, because each may need a library of its own.
"""

__all__: list[str] = []
