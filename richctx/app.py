"""The commands, put together."""

import os
from importlib.metadata import version
from typing import Annotated

import typer

from richctx.attend import attend
from richctx.course import course
from richctx.demo import demo
from richctx.doctor import doctor
from richctx.embed import embed
from richctx.errors import ExplainedGroup
from richctx.evaluate import evaluate
from richctx.finetune import finetune
from richctx.run import run
from richctx.train import train
from richctx.train_bert import train_bert
from richctx.train_elmo import train_elmo

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read by TensorFlow when it is first imported, which the commands do

app = typer.Typer(cls=ExplainedGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
translate = typer.Typer(no_args_is_help=True, help="Train a translation model on sentence pairs, and use it.")
app.add_typer(translate, name="translate")
training = typer.Typer(no_args_is_help=True, help="Train a model of text alone.")
app.add_typer(training, name="train")

app.command()(demo)
translate.command()(train)
translate.command()(run)
translate.command()(evaluate)
training.command("bert")(train_bert)
training.command("elmo")(train_elmo)
app.command()(finetune)
app.command()(embed)
app.command()(attend)
app.command()(course)
app.command()(doctor)


def _print_version(asked):
    if asked:
        typer.echo(f"richctx {version('keras-richctx')}")
        raise typer.Exit


@app.callback()
def richctx(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="On an error, show where in the code it came from.")] = False,
):
    """From the recurrent cell to BERT in Keras 3: layers you can read, models you can load, maps you can look at."""
