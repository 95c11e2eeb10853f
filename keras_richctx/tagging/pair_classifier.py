"""The class of a pair of sentences, each read in the light of the other: BiLSTM, word vectors in context, attention between the two."""

import keras
import numpy as np

from keras_richctx.attention import Alignment
from keras_richctx.tagging.tagged_batches import UnlikeBatches
from keras_richctx.tagging.token_tagger import as_word_encoder
from keras_richctx.tagging.word_encoder import check_sentences
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation import RecurrentEncoder

PARTS = ("first", "second")


@keras.saving.register_keras_serializable("keras_richctx")
class PairClassifier(VariedShapes):
    r"""Classifies pairs of sentences, such as a premise and a hypothesis: "BiLSTM+ELMo+Attn" where its encoder is an `ELMo`.

    $$u = \mathrm{BiLSTM}_1(x^a), \quad v = \mathrm{BiLSTM}_1(x^b), \qquad c_i = \sum_j \mathrm{softmax}_j(u_i \cdot v_j)\, v_j$$
    $$p = \max_i \mathrm{BiLSTM}_2([u; c])_i, \qquad \text{logits} = W \tanh(V\, d([p; q; |p - q|; p \odot q]) + a) + b$$

    where $x$ are vectors of words, $q$ is to the second sentence what $p$ is to the first, and $d$ is dropout. Both sentences go through the same layers. Pads
    are neither attended to nor pooled.

    It is trained on `model.batches(first, second, labels)`.

    Args:
        encoder: what `TokenTagger` takes, such as an `ELMo`, or a list of a `WordFeatures` and an `ELMo`.
        classes: list of K different strings, in the order of their ids.
        units: even integer, U, the width of each BiLSTM. Defaults to `200`.
        dropout: float, the share of features that are dropped in training, of word vectors and of the pair's vector. Defaults to `0.2`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: what `prepare` returns.
        training: boolean, whether dropout is on.

    Returns:
        The logits, float `(B, K)`.

    Raises:
        ValueError: if there are fewer than two classes, or one occurs twice.

    Example:
        >>> first, second = [["it", "rains"], ["it", "snows"]], [["it", "is", "wet"], ["it", "is", "hot"]]
        >>> words = krc.layers.WordFeatures.from_sentences(first + second, embedding_dim=6)
        >>> model = PairClassifier(words, ["entailment", "contradiction"], units=4)
        >>> model.compile(keras.optimizers.Adam(0.01))
        >>> history = krc.training.fit(model, model.batches(first, second, ["entailment", "contradiction"]), epochs=1, progress=False)
        >>> len(model.classify(first, second))
        2

    References:
        [Wang et al., 2019](https://arxiv.org/abs/1804.07461), section 5; [Peters et al., 2018](https://arxiv.org/abs/1802.05365); [Conneau et
        al., 2017](https://arxiv.org/abs/1705.02364), for the pair's vector.
    """

    def __init__(self, encoder, classes, units=200, dropout=0.2, **kwargs):
        super().__init__(**kwargs)
        if isinstance(classes, str) or len(classes) < 2 or len(set(classes)) != len(classes):
            raise ValueError(f"classes is a list of different strings, two at least. Received: classes={classes!r}")
        policy = {"dtype": self.dtype_policy}
        self.classes = list(classes)
        self.units = units
        self.dropout_rate = dropout
        self.encoder = as_word_encoder(encoder, policy)
        if self.encoder.output_dim:
            raise ValueError("Only a TokenTagger puts vectors beside its output. Received: an encoder with at_output=True")
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.reader = RecurrentEncoder(units, cell="lstm", name="reader", **policy)
        self.alignment = Alignment("dot", name="alignment", **policy)
        self.comparer = RecurrentEncoder(units, cell="lstm", name="comparer", **policy)
        self.hidden = keras.layers.Dense(units, "tanh", name="hidden", **policy)
        self.output_projection = keras.layers.Dense(len(classes), name="output_projection", **policy)
        self(self.prepare([["a"]], [["b"]]))  # which tells every layer the widths

    def call(self, inputs, training=False):
        # logits = W tanh(V d(both) + a) + b
        both = self.dropout(self.pair_vectors(inputs, training), training=training)  # (B, 4 U)
        return self.output_projection(self.hidden(both))  # (B, K)

    def pair_vectors(self, inputs, training=False):
        """Makes one vector of each pair.

        Args:
            inputs: what `prepare` returns.
            training: boolean, whether dropout is on. Defaults to `False`.

        Returns:
            A float tensor of shape `(B, 4 * U)`: of both sentences, of their distance and of their product.
        """
        given = [{name.partition(":")[2]: array for name, array in inputs.items() if name.startswith(f"{part}:")} for part in PARTS]
        masks = [each["word_mask"] for each in given]  # (B, S), (B, T)
        states = []
        for each, mask in zip(given, masks):
            x = keras.ops.cast(self.encoder(each, training=training), self.compute_dtype)  # (B, S, D)
            states.append(self.reader(self.dropout(x, training=training), mask=mask)[0])  # (B, S, U)
        u, v = states
        # c_i = sum_j softmax_j(u_i . v_j) v_j, and the other way round
        contexts = self.alignment(u, v, mask=masks[1])[0], self.alignment(v, u, mask=masks[0])[0]  # (B, S, U), (B, T, U)
        # p = max_i BiLSTM([u; c])_i
        p, q = (self._pool(keras.ops.concatenate(pair, axis=-1), mask) for *pair, mask in zip(states, contexts, masks))  # (B, U) each
        return keras.ops.concatenate([p, q, keras.ops.abs(p - q), p * q], axis=-1)  # (B, 4 U)

    def _pool(self, x, mask):
        """Reads `x`, `(B, S, 2 U)`, once more, and takes of each feature its largest value at real positions: `(B, U)`."""
        states = self.comparer(x, mask=mask)[0]  # (B, S, U)
        return keras.ops.max(keras.ops.where(mask[..., None], states, -1.0), axis=1)  # a state of an LSTM lies between -1 and 1

    def prepare(self, first, second):
        """Turns pairs of sentences, two lists of lists of words, into what `call` takes: a dict of arrays, those of each side with its name before them."""
        if len(first) != len(second):
            raise ValueError(f"Each first sentence has its second one. Received: {len(first)} and {len(second)} sentences")
        return {f"{part}:{name}": array for part, given in zip(PARTS, (first, second)) for name, array in self.encoder.prepare(given).items()}

    def batches(self, first, second, labels, batch_size=32, shuffle=True, seed=0):
        """Makes batches for `fit` and `evaluate`.

        Args:
            first: list of N lists of strings.
            second: list of N lists of strings.
            labels: list of N classes.
            batch_size: integer. Defaults to `32`.
            shuffle: boolean. Defaults to `True`.
            seed: integer, of the order. Defaults to `0`.

        Returns:
            A `keras.utils.PyDataset`: of each batch the inputs, and the ids of the classes, int32 `(B,)`.

        Raises:
            ValueError: if a label is none of the classes, or the numbers differ.
        """
        check_sentences(first)
        check_sentences(second)
        if unknown := [label for label in labels if label not in self.classes]:
            raise ValueError(f"The classes are {', '.join(self.classes)}. Received: {unknown[0]!r}")
        if not len(first) == len(second) == len(labels):
            raise ValueError(f"Each pair has its class. Received: {len(first)} and {len(second)} sentences, {len(labels)} labels")
        ids = np.array([self.classes.index(label) for label in labels], "int32")
        return PairBatches(self.prepare, list(zip(first, second)), ids, batch_size, shuffle, seed, self.encoder.max_length)

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with cross-entropy and accuracy where nothing else is said; `jit_compile` as of `TokenTagger`."""
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True) if loss == "auto" else loss
        weighted_metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")] if weighted_metrics == "auto" else weighted_metrics
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def classify(self, first, second, batch_size=32):
        """Says the class of each pair: takes two lists of lists of strings, and returns a list of strings."""
        best = []
        for start in range(0, len(first), batch_size):
            rows = slice(start, start + batch_size)
            best += np.argmax(keras.ops.convert_to_numpy(self(self.prepare(first[rows], second[rows]))), axis=-1).tolist()
        return [self.classes[i] for i in best]

    def get_config(self):
        options = {"classes": self.classes, "units": self.units, "dropout": self.dropout_rate}
        return {**super().get_config(), "encoder": keras.saving.serialize_keras_object(self.encoder), **options}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "encoder": keras.saving.deserialize_keras_object(config["encoder"])})


class PairBatches(UnlikeBatches):
    """Gives the batches of a pass over pairs of sentences; the order hangs on the seed and on the number of the pass alone.

    Args:
        prepare: function of two lists of sentences.
        pairs: list of N pairs of sentences.
        ids: integer array of shape `(N,)`.
        batch_size: integer.
        shuffle: boolean.
        seed: integer.
        limit: integer or `None`, as of `TaggedBatches`.
    """

    def __init__(self, prepare, pairs, ids, batch_size, shuffle, seed, limit):
        super().__init__()
        self.prepare, self.pairs, self.ids = prepare, pairs, ids
        self.batch_size, self.shuffle, self.seed, self.limit = batch_size, shuffle, seed, limit
        self.number = -1
        self.on_epoch_end()

    @property
    def num_batches(self):
        return -(-len(self.pairs) // self.batch_size)

    def batch(self, index):
        rows = self.order[index * self.batch_size :][: self.batch_size]
        return self.prepare([self.pairs[row][0] for row in rows], [self.pairs[row][1] for row in rows]), self.ids[rows]

    def on_epoch_end(self):
        """Plans the next pass."""
        self.number += 1
        n = len(self.pairs)
        self.order = np.random.default_rng((self.seed, self.number)).permutation(n) if self.shuffle else np.arange(n)
