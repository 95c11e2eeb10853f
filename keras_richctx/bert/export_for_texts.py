"""A classifier that takes strings, wherever it is served."""

import keras

from keras_richctx.bert.run import tokenizer_of
from keras_richctx.text import pack_pairs


def export_for_texts(model, path, max_length=None):
    """Writes a `TextClassifier` as a SavedModel that takes raw texts, its tokenizer inside.

    It has two functions: `serve` takes a string tensor `(B,)`; `serve_pairs` takes two of them. Both return a dict of `logits` and `probabilities`, float32
    `(B, C)`; for regression of `logits` alone, `(B, 1)`. Texts that are too long are cut. Where it is served, TensorFlow and tensorflow-text are needed, and
    nothing of this library.

    Args:
        model: a `TextClassifier` with a `WordPieceTokenizer`.
        path: path of the directory to write.
        max_length: integer, the most tokens of a row. Defaults to what the model can read.

    Raises:
        RuntimeError: if the backend is not TensorFlow.
        ValueError: if there is no tokenizer.
    """
    tokenizer = tokenizer_of(model.bert)
    if keras.backend.backend() != "tensorflow":
        raise RuntimeError(
            f"Strings are tokenized in TensorFlow's graph: export on that backend. Received: the backend {keras.backend.backend()}. "
            "Save the model as a .keras file, and load it with KERAS_BACKEND=tensorflow."
        )
    limit = min(max_length or model.bert.max_length, model.bert.max_length)

    def classify(first, second=None):
        inputs = pack_pairs(tokenizer, first, second, max_length=limit)
        logits = keras.ops.cast(model(inputs), "float32")  # (B, C)
        return {"logits": logits} if model.num_classes == 1 else {"logits": logits, "probabilities": keras.ops.softmax(logits)}

    text = keras.InputSpec(shape=(None,), dtype="string")
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serve", lambda texts: classify(texts), input_signature=[text])
    archive.add_endpoint("serve_pairs", classify, input_signature=[text, text])
    archive.write_out(str(path), verbose=False)
