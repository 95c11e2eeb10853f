import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import keras
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import keras_richctx as krc

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMESPACES = ["datasets", "embeddings", "finetuning", "generation", "layers", "metrics", "models", "ops", "text", "training", "viz"]
SOURCES = sorted((ROOT / "keras_richctx").rglob("*.py"))
PUBLIC = [(namespace, name) for namespace in NAMESPACES for name in getattr(krc, namespace).__all__]


def test_the_public_names_are_the_namespaces_and_the_course():
    assert sorted(krc.__all__) == sorted([*NAMESPACES, "attention_maps", "check", "hidden_states", "notebook", "show_source", "traces"])
    assert krc.__version__ == version("keras-richctx") == PROJECT["version"]


@pytest.mark.parametrize("namespace, name", PUBLIC)
def test_a_public_name_says_what_it_is(namespace, name):
    public = getattr(getattr(krc, namespace), name)
    first = inspect.getdoc(public).partition("\n\n")[0]
    assert first.endswith((".", ":")), first
    if inspect.isclass(public):
        assert public.__doc__ is not None, f"{name} has the docstring of its base only"


@pytest.mark.parametrize("namespace, base", [("layers", keras.layers.Layer), ("models", keras.Model)])
def test_layers_and_models_load_without_custom_objects(namespace, base):
    for name in getattr(krc, namespace).__all__:
        public = getattr(getattr(krc, namespace), name)
        assert issubclass(public, base)
        assert keras.saving.get_registered_name(public) == f"keras_richctx>{name}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_engines_are_imported_only_when_used(source):
    engines = {"tensorflow", "tensorflow_text", "jax", "torch"}
    for node in _outside_functions(ast.parse(source.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not engines & {name.partition(".")[0] for name in names}, f"line {node.lineno} imports an engine outside a function"


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed: make test-backends installs it")
def test_the_import_brings_no_engine_but_the_chosen_one():
    code = "import sys, keras_richctx; print({'tensorflow', 'torch'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], env={**os.environ, "KERAS_BACKEND": "jax"}, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_every_package_that_is_imported_is_declared():
    declared = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    distributions = packages_distributions()
    ours_or_there = sys.stdlib_module_names | {"keras_richctx", "richctx"}
    ours_or_there |= {"IPython", "jax", "torch"}  # imported only where they are: in a notebook, on that backend, for a pickle of tensors
    for source in [*SOURCES, *(ROOT / "richctx").rglob("*.py")]:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in {name.partition(".")[0] for name in names} - ours_or_there:
                assert declared & {canonicalize_name(distribution) for distribution in distributions[name]}, f"{source}: {name}"


def test_the_lock_has_an_admissible_version_of_every_requirement():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    locked = {canonicalize_name(name): number for name, _, number in (line.partition("==") for line in lines if not line.startswith("#"))}
    extras = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *(line for extra in ("dev", "docs", "lab", "jax", "torch") for line in extras[extra])]:
        requirement = Requirement(line)
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)], prereleases=True), requirement
    assert all(re.fullmatch(r"[\w.-]+==[\w.!]+", line) for line in lines if not line.startswith("#")), "a lock of names and versions, without addresses"


def _outside_functions(node):
    """Every node that runs when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)
