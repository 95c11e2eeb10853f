"""From the recurrent cell to BERT in Keras 3: layers you can read, models you can load, maps you can look at."""

from importlib.metadata import version

from keras_richctx import datasets, embeddings, finetuning, generation, layers, metrics, models, ops, text, training, viz
from keras_richctx.course import check, notebook, show_source
from keras_richctx.recurrent import traces
from keras_richctx.viz import attention_maps, hidden_states

__version__ = version("keras-richctx")

__all__ = [
    "attention_maps",
    "check",
    "datasets",
    "embeddings",
    "finetuning",
    "generation",
    "hidden_states",
    "layers",
    "metrics",
    "models",
    "notebook",
    "ops",
    "show_source",
    "text",
    "traces",
    "training",
    "viz",
]
