"""`python -m caveat` is `caveat`."""

from caveat.cli.main import run

run()
