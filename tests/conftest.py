"""Settings for every test: random problems are the same on every machine and in every run."""

from hypothesis import settings

settings.register_profile("book", derandomize=True, deadline=None)
settings.load_profile("book")
