"""BERT as it is pre-trained: which words were masked, and does the second text follow the first."""

import keras

from keras_richctx.bert.bert_task import BertTask
from keras_richctx.bert.fill_mask import fill_mask
from keras_richctx.bert.masked_lm_head import MaskedLMHead
from keras_richctx.bert.names import HEADS, dense_places, norm_places


@keras.saving.register_keras_serializable("keras_richctx")
class BertForPretraining(BertTask):
    r"""A `Bert` with the two heads that it is pre-trained with.

    $$\text{mlm} = \mathrm{LN}(\mathrm{act}(W h^L_p + b))\, E^\top + c, \qquad \text{nsp} = W_2\, \text{pooled} + b_2$$

    The first foretells the tokens at masked positions, and is computed there only; its output matrix is the embedding. The second tells whether the second text
    follows the first (class 0) or is from elsewhere (class 1); RoBERTa and DistilBERT have none.

    To train, the targets are a dict of `mlm_logits`, integer `(B, P)`, the tokens that stood at `mask_positions`, and `nsp_logits`, integer `(B,)`; the sample
    weights a dict of `mlm_logits`, `(B, P)`, one at real positions and zero at those that fill up a row, and `nsp_logits`, `(B,)`. The loss is the sum of the
    two means: over real predictions, and over rows.

    Args:
        bert: a `Bert`.
        next_sentence: boolean, whether there is the second head. Defaults to whether the `Bert` has a pooler and is of the type `"bert"`.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the `Bert`.

    Call arguments:
        inputs: what `Bert` takes, as a dict, and `mask_positions`, integer `(B, P)`, the positions to foretell, by default all.
        training: boolean, whether dropout is on.

    Returns:
        A dict of `mlm_logits`, float `(B, P, V)`, and `nsp_logits`, float `(B, 2)`, where there is that head.

    Raises:
        ValueError: if `next_sentence` is asked of a `Bert` without a pooler.

    Example:
        >>> model = BertForPretraining(krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37))
        >>> outputs = model({"token_ids": np.array([[5, 9, 6, 0]]), "mask_positions": np.array([[1]])})
        >>> outputs["mlm_logits"].shape, outputs["nsp_logits"].shape
        (TensorShape([1, 1, 37]), TensorShape([1, 2]))

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.1.
    """

    own_patterns = "pretraining"
    own_arguments = ("next_sentence",)

    def __init__(self, bert, next_sentence=None, **kwargs):
        super().__init__(bert, **kwargs)
        if next_sentence is None:
            next_sentence = bert.model_type == "bert" and bert.pooler is not None
        if next_sentence and (bert.pooler is None or bert.model_type != "bert"):
            raise ValueError(
                "The next sentence is told from the pooled output, in models of the type 'bert'. "
                f"Received: next_sentence={next_sentence!r}, a Bert of the type {bert.model_type!r} {'without' if bert.pooler is None else 'with'} a pooler"
            )
        self.next_sentence = next_sentence
        self.mlm_head = MaskedLMHead(
            bert.vocab_size,
            activation="gelu" if bert.model_type == "roberta" else bert.activation,  # RoBERTa's has one of its own
            layer_norm_epsilon=bert.layer_norm_epsilon,
            kernel_initializer=bert.initializer(),
            dtype=self.dtype_policy,
            name="mlm_head",
        )
        self.mlm_head.build((None, None, bert.width))
        self.nsp_head = self.make_dense(2, "nsp_head") if next_sentence else None
        self.built = True

    @property
    def architecture(self):
        """The end of Hugging Face's name for it."""
        return "ForPreTraining" if self.next_sentence else "ForMaskedLM"

    def call(self, inputs, training=False):
        outputs = self.bert(_without_positions(inputs), training=training)
        positions = inputs.get("mask_positions") if isinstance(inputs, dict) else None
        heads = {"mlm_logits": self.mlm_head(outputs["sequence_output"], self.bert.embedding.embeddings, positions)}  # (B, P, V)
        if self.nsp_head is not None:
            heads["nsp_logits"] = self.nsp_head(outputs["pooled_output"])  # (B, 2)
        return heads

    def default_loss(self):
        # the sum over real predictions divided by their number
        losses = {"mlm_logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight", name="mlm_loss")}
        if self.nsp_head is not None:
            losses["nsp_logits"] = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight", name="nsp_loss")
        return losses

    def default_metrics(self):
        metrics = {"mlm_logits": [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]}
        if self.nsp_head is not None:
            metrics["nsp_logits"] = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]
        return metrics

    def fill_mask(self, text, top=5):
        """Says which tokens fit in a text at each `[MASK]`; see [`fill_mask`][keras_richctx.bert.fill_mask.fill_mask].

        Args:
            text: string with at least one `[MASK]`.
            top: integer, how many tokens to name. Defaults to `5`.

        Returns:
            A list for each `[MASK]` of `top` pairs: a token as it is spelled in the vocabulary, and its probability; the likeliest first.
        """
        return fill_mask(self, text, top)

    def head_groups(self):
        head, place = self.mlm_head, "cls/predictions"
        mlm = [*dense_places(f"{place}/transform/dense", head.dense), *norm_places(f"{place}/transform/LayerNorm", head.norm)]
        groups = [[*mlm, (f"{place}/bias", head.output_projection.bias)]]
        return groups if self.nsp_head is None else [*groups, list(dense_places("cls/seq_relationship", self.nsp_head))]

    def head_layers(self):
        return [self.mlm_head] if self.nsp_head is None else [self.mlm_head, self.nsp_head]

    @classmethod
    def uses_pooler(cls, model_type, arguments):
        return model_type == "bert" and arguments.get("next_sentence") is not False

    @classmethod
    def head_arguments(cls, opened):
        return {"next_sentence": opened.style in ("bert", "google") and opened.find("cls/seq_relationship/kernel", HEADS) in opened.source}

    def get_config(self):
        return {**super().get_config(), "next_sentence": self.next_sentence}


def _without_positions(inputs):
    """Returns the inputs of the `Bert` among those of the model."""
    return {name: value for name, value in inputs.items() if name != "mask_positions"} if isinstance(inputs, dict) else inputs
