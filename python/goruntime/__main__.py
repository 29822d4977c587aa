"""python -m goruntime: the command goruntime."""

from .cli import main

main()
