import dataclasses
import inspect
import subprocess
import sys
from importlib.metadata import version

import pytest

from keras_richctx.translation.recipe import Recipe
from richctx.errors import explain
from richctx.train import train

COMMANDS = ["demo", "translate", "translate train", "translate run", "translate evaluate", "attend", "course", "doctor"]


def test_help_brings_neither_keras_nor_an_engine():
    code = """
import sys, richctx.app
from typer.testing import CliRunner
assert CliRunner().invoke(richctx.app.app, ["translate", "train", "--help"]).exit_code == 0
print(sorted({"keras", "tensorflow", "jax", "torch", "numpy", "matplotlib", "keras_richctx"} & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(cli, command):
    result = cli(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"richctx {command}" in result.stdout
    assert result.stderr == ""


def test_the_version_is_that_of_the_package(cli):
    assert cli("--version").stdout.strip() == f"richctx {version('keras-richctx')}"


def test_the_defaults_of_the_command_are_those_of_the_recipe():
    command = {name: parameter.default for name, parameter in inspect.signature(train).parameters.items()}
    recipe = {field.name: field.default for field in dataclasses.fields(Recipe)}
    assert {name: command[name] for name in recipe if name != "tokenizer"} == {name: value for name, value in recipe.items() if name != "tokenizer"}


def test_an_error_is_a_line_and_code_1_and_with_debug_a_traceback(cli, tmp_path):
    result = cli("translate", "run", tmp_path, "A cat.")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {tmp_path} holds no model.keras.")
    assert len(result.stderr.splitlines()) == 1
    assert isinstance(cli("--debug", "translate", "run", tmp_path, "A cat.").exception, FileNotFoundError)


def test_a_note_of_an_error_is_told_too():
    error = OSError(28, "The disk is full")
    error.add_note("The model is in memory.")
    assert explain(error) == "The disk is full The model is in memory."


def test_a_missing_package_leads_to_the_doctor():
    assert "richctx doctor" in explain(ModuleNotFoundError("No module named 'tensorflow'"))
