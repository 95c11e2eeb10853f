"""`python -m richctx`, where the script is not on the path."""

from richctx.app import app

app(prog_name="richctx")
