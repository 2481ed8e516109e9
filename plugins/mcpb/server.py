"""Starts the server of the installed package: what a desktop client runs out of the bundle."""

import sys

from citator.__main__ import main

sys.argv[1:1] = ["serve"]
main()
