"""Where in a text the answer to a question stands."""

import keras

from keras_richctx.bert.answer import answer
from keras_richctx.bert.bert_task import BertTask
from keras_richctx.bert.names import dense_places
from keras_richctx.ops.masked_softmax import LOWEST
from keras_richctx.ops.masks import as_mask, merge_masks


@keras.saving.register_keras_serializable("keras_richctx")
class SpanAnswerer(BertTask):
    r"""A `Bert` with a head that says of each position how well an answer would begin and end there.

    $$s_t = w_s \cdot h^L_t + b_s, \qquad e_t = w_e \cdot h^L_t + b_e$$

    Positions where no answer may begin or end get the lowest number there is, so that the softmax over positions, and with it the loss, goes over the others
    alone: it does not depend on pads. Logits are float32 under every dtype policy. For the spans, see [`best_spans`][keras_richctx.bert.best_spans.best_spans].

    To train, the targets are integers, `(B, 2)`: the positions of the first and of the last token of the answer, both at places that are not masked (in SQuAD
    2.0, the first position where there is none). The loss is the mean of the two cross-entropies.

    Args:
        bert: a `Bert`.
        head_dropout: float, the share of features that are dropped in training before the head. Defaults to `0.0`, and to `0.1` for DistilBERT, as published.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the `Bert`.

    Call arguments:
        inputs: what `Bert` takes, as a dict, and `context_mask`, boolean `(B, T)`, `True` where an answer may begin or end: at the context, and, in SQuAD 2.0,
            at the first position, which stands for no answer. By default at all real positions.
        training: boolean, whether dropout is on.

    Returns:
        The logits, float `(B, 2, T)`: of the first and of the last token of the answer.

    Raises:
        ValueError: if the mask is one of floats.

    Example:
        >>> model = SpanAnswerer(krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37))
        >>> model({"token_ids": np.array([[5, 9, 6, 0]])}).shape
        TensorShape([1, 2, 4])

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), sections 4.2 and 4.3.
    """

    architecture = "ForQuestionAnswering"
    own_patterns = "span"
    own_arguments = ("head_dropout",)

    def __init__(self, bert, head_dropout=None, **kwargs):
        super().__init__(bert, **kwargs)
        if head_dropout is None:
            head_dropout = 0.1 if bert.model_type == "distilbert" else 0.0
        self.head_dropout = head_dropout
        self.dropout = keras.layers.Dropout(head_dropout, name="dropout", dtype=self.dtype_policy)
        self.span_head = self.make_dense(2, "span_head")
        self.built = True

    def call(self, inputs, training=False):
        inputs = dict(inputs) if isinstance(inputs, dict) else {"token_ids": inputs}
        mask = inputs.pop("context_mask", None)
        mask = merge_masks(self.bert.real_positions(inputs), None if mask is None else as_mask(mask, "context_mask"))  # (B, T)
        x = self.dropout(self.bert(inputs, training=training)["sequence_output"], training=training)
        logits = keras.ops.transpose(keras.ops.cast(self.span_head(x), "float32"), (0, 2, 1))  # (B, T, 2) -> (B, 2, T)
        return keras.ops.where(mask[:, None], logits, LOWEST)

    def answer(self, questions, contexts, **options):
        """Answers questions about texts, however long; see [`answer`][keras_richctx.bert.answer.answer] for the options.

        Args:
            questions: list of strings.
            contexts: list of strings, one for each question.
            **options: `n_best`, `max_answer_length`, `stride`, `length`, `max_question`, `batch_size`.

        Returns:
            A list for each question of pairs: its best answers, falling by score, and the score of no answer, a float.
        """
        return answer(self, questions, contexts, **options)

    def default_loss(self):
        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def default_metrics(self):
        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def head_groups(self):
        return [list(dense_places("qa_outputs", self.span_head))]

    def head_layers(self):
        return [self.span_head]

    def head_words(self):
        return {"qa_dropout": self.head_dropout} if self.bert.model_type == "distilbert" else {}

    @classmethod
    def head_arguments(cls, opened):
        return {"head_dropout": opened.config.get("qa_dropout")} if opened.style == "distilbert" else {}

    def get_config(self):
        return {**super().get_config(), "head_dropout": self.head_dropout}
