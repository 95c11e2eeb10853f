"""Word2vec: vectors of words from the words around them."""

import keras
import numpy as np

from keras_richctx.embeddings.corpus import are_counts
from keras_richctx.embeddings.outputs import hierarchical_softmax, negative_sampling
from keras_richctx.embeddings.window_batches import WindowBatches
from keras_richctx.embeddings.word_vectors import WordVectors
from keras_richctx.ops.pair_loss import pair_loss
from keras_richctx.ops.with_gradient import with_gradient
from keras_richctx.training.fit import fit
from keras_richctx.training.varied_shapes import VariedShapes

ARCHITECTURES = ("cbow", "skip_gram")
OBJECTIVES = ("negative_sampling", "hierarchical_softmax")


@keras.saving.register_keras_serializable("keras_richctx")
class Word2Vec(VariedShapes):
    r"""Two matrices of vectors, one for words as context and one for what is foretold of it: the continuous bag of words, and skip-gram.

    The continuous bag of words foretells a word $w$ by the mean of the vectors around it, skip-gram by each of them alone:

    $$h = \frac{1}{|C|} \sum_{c \in C} v_c \quad\text{or}\quad h = v_c \text{ for each } c \in C, \qquad
      L = -\log \sigma(h^\top u_w) - \sum_{k=1}^{K} \log \sigma(-h^\top u_{w_k}), \quad w_k \sim \mathrm{count}^{3/4}$$

    with $v$ a row of the input matrix, $W$, and $u$ of the output matrix, $W'$. With the hierarchical softmax the second term is a path through Huffman's tree.
    Over a corpus, each pair of words is seen in both directions; as in the released code, the word in the middle is what is foretold. The words of one window
    share its $K$ draws. In the bag of words, each $v_c$ takes the whole of the error of $h$, not its $|C|$-th part, which is what the released code does.

    `fit_corpus` reads a corpus. It is `keras_richctx.training.fit` with plain gradient descent, whose rate falls linearly: on TensorFlow only the rows that a
    batch touches are read and changed, elsewhere the gradient is a whole matrix.

    A step adds up what all windows of a batch ask of a row. So that words that are in a hundred windows of it are not thrown about, a row is moved by at most
    `max_updates` of these: the rest is scaled down.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`, such as `WordTokenizer`. Its special tokens take no part.
        counts: integers, `(V,)`, how often each word is in the corpus, from `keras_richctx.embeddings.count_words`.
        dim: integer, D. Defaults to `100`.
        architecture: string, `"skip_gram"` or `"cbow"`. Defaults to `"skip_gram"`.
        objective: string, `"negative_sampling"` or `"hierarchical_softmax"`. Defaults to `"negative_sampling"`.
        num_negatives: integer, K. Defaults to `5`.
        max_updates: number, or `None` for no limit. Defaults to `16`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: dict of `context_ids`, integer `(B, C)`, `context_mask`, boolean `(B, C)`, `output_ids`, integer `(B, O)`, `labels`, `(B, O)`, and
            `output_mask`, boolean `(B, O)`, as `WindowBatches` makes them.

    Returns:
        The loss of each window, float32 `(B,)`.

    Raises:
        ValueError: if `architecture` or `objective` is unknown, a size is not positive, or the counts are not those of the tokenizer's vocabulary.

    Example:
        >>> corpus = [["to", "be", "or", "not", "to", "be"]] * 50
        >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=8)
        >>> model = Word2Vec(tokenizer, krc.embeddings.count_words(corpus, tokenizer), dim=7, architecture="cbow")
        >>> history = model.fit_corpus(corpus, epochs=2, batch_size=32, sample=0, progress=False)
        >>> model.vectors()["be"].shape
        (7,)

    References:
        [Mikolov et al., 2013a](https://arxiv.org/abs/1301.3781); [Mikolov et al., 2013b](https://arxiv.org/abs/1310.4546); draws shared within a window:
        [Ji et al., 2016](https://arxiv.org/abs/1604.04661).
    """

    def __init__(self, tokenizer, counts, dim=100, architecture="skip_gram", objective="negative_sampling", num_negatives=5, max_updates=16, **kwargs):
        super().__init__(**kwargs)
        for name, value, known in (("architecture", architecture, ARCHITECTURES), ("objective", objective, OBJECTIVES)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}. Received: {name}={value!r}")
        for name, value in (("dim", dim), ("num_negatives", num_negatives)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a positive integer. Received: {name}={value!r}")
        if max_updates is not None and not max_updates > 0:
            raise ValueError(f"max_updates must be a positive number, or None. Received: max_updates={max_updates!r}")
        if not hasattr(tokenizer, "vocab_size"):
            raise ValueError(f"Word2Vec takes a tokenizer of keras_richctx.text. Received: tokenizer={tokenizer!r}")
        counts = np.asarray(counts)
        if counts.shape != (tokenizer.vocab_size,) or not are_counts(counts):
            raise ValueError(f"There is one count for each of the {tokenizer.vocab_size} tokens, from count_words. Received: counts={counts!r}")
        self.tokenizer = tokenizer
        self.counts = counts.tolist()
        self.dim = dim
        self.architecture = architecture
        self.objective = objective
        self.num_negatives = num_negatives
        self.max_updates = max_updates

        start = keras.initializers.RandomUniform(-0.5 / dim, 0.5 / dim)
        self.input_vectors = self.add_weight(shape=(tokenizer.vocab_size, dim), initializer=start, name="input_vectors")
        self.output_vectors = self.add_weight(shape=(tokenizer.vocab_size, dim), initializer="zeros", name="output_vectors")
        self.built = True

    def call(self, inputs):
        mask, output_mask = inputs["context_mask"], inputs["output_mask"]
        context = keras.ops.take(self.input_vectors, inputs["context_ids"], axis=0)  # (B, C, D)
        outputs = keras.ops.take(self.output_vectors, inputs["output_ids"], axis=0)  # (B, O, D)
        share, output_share = inputs.get("context_share"), inputs.get("output_share")
        if output_share is not None:
            outputs = _share_gradient(outputs, share=output_share)
        if self.architecture == "cbow":
            real = keras.ops.cast(mask, context.dtype)  # (B, C)
            number = keras.ops.maximum(keras.ops.sum(real, axis=1, keepdims=True), 1)  # (B, 1)
            # h = mean of the real v_c
            context = _mean(context, weights=real / number, share=real if share is None else real * share)[:, None]  # (B, 1, D)
            mask = None
        elif share is not None:
            context = _share_gradient(context, share=share)
        return pair_loss(context, outputs, inputs["labels"], mask, output_mask)

    def compile(self, optimizer="sgd", **kwargs):
        """Configures training, as `keras.Model.compile`; the loss is the model's own.

        Args:
            optimizer: optimizer or its name. Defaults to `"sgd"`.
            **kwargs: passed to `keras.Model.compile`.
        """
        super().compile(optimizer=optimizer, **kwargs)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Returns the mean of the losses of the windows; `fit_corpus` multiplies the rate by their number, so that each asks for a whole step."""
        return keras.ops.mean(y_pred)

    def fit_corpus(
        self,
        corpus,
        epochs=5,
        learning_rate=0.025,
        min_learning_rate=1e-4,
        window=5,
        sample=1e-3,
        batch_size=1024,
        seed=0,
        steps_per_epoch=None,
        jit_compile=None,
        **fit_options,
    ):
        r"""Trains on a corpus, which is read block by block and need not fit into memory.

        $$\eta_n = \eta_0 + \frac{n}{N} (\eta_N - \eta_0)$$

        after n of N steps: a pass over the corpus is as many steps as it has windows, on average over the draws.

        Args:
            corpus: a path or a list of paths of UTF-8 files, a text a line; or an iterable that can be gone through again, of lists of words or of strings.
            epochs: integer, passes. Defaults to `5`.
            learning_rate: float, $\eta_0$. Defaults to `0.025`.
            min_learning_rate: float, $\eta_N$. Defaults to `1e-4`.
            window: integer, W, the largest distance of a word from the one in the middle. Defaults to `5`.
            sample: float, the share of the corpus from which on a word is frequent, and partly left out; 0 to keep all. Defaults to `1e-3`.
            batch_size: integer, windows in a step. Defaults to `1024`.
            seed: integer, of all draws. Defaults to `0`.
            steps_per_epoch: integer, steps that count as an epoch, or `None` for a pass. Defaults to `None`.
            jit_compile: boolean, whether XLA compiles the step, once for each size of window, or `None` for the default of `compile`. On TensorFlow it pays off
                from about a million windows on. Defaults to `None`.
            **fit_options: passed to `keras_richctx.training.fit`, such as `checkpoint_dir` and `progress`.

        Returns:
            The `keras.callbacks.History`: `loss` is the mean over the windows.

        Raises:
            TypeError: if the corpus can be gone through only once, or holds something else.
            ValueError: if a number is not what it has to be.
        """
        for name, value in (("epochs", epochs), ("steps_per_epoch", 1 if steps_per_epoch is None else steps_per_epoch)):
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} must be a positive integer. Received: {name}={value!r}")
        if not 0 < learning_rate < float("inf") or not 0 <= min_learning_rate < float("inf"):
            raise ValueError(f"The rates are a positive number and one of at least zero. Received: {learning_rate=}, {min_learning_rate=}")
        batches = WindowBatches(corpus, self.tokenizer, np.array(self.counts), self.outputs(), window, sample, batch_size, seed)
        steps = steps_per_epoch or batches.steps
        rate = keras.optimizers.schedules.PolynomialDecay(batch_size * learning_rate, steps * epochs, batch_size * min_learning_rate)
        self.compile(keras.optimizers.SGD(rate), jit_compile=jit_compile)
        return fit(self, self._shared(batches), steps_per_epoch=steps, epochs=epochs, **fit_options)

    def outputs(self):
        """Returns the function that says which outputs a word is trained against, as `WindowBatches` takes it."""
        counts = np.array(self.counts)
        return negative_sampling(counts, self.num_negatives) if self.objective == "negative_sampling" else hierarchical_softmax(counts)

    def vectors(self, which="input"):
        """Gives the vectors of the words, special tokens left out, the most frequent word first.

        Args:
            which: string, `"input"` for the rows of W, `"output"` for those of W' (with negative sampling only), or `"mean"` for the mean of the two. Defaults
                to `"input"`.

        Returns:
            `WordVectors`.

        Raises:
            ValueError: if `which` is unknown, or the outputs are nodes of a tree and not words.
        """
        if which not in ("input", "output", "mean"):
            raise ValueError(f'which must be "input", "output" or "mean". Received: which={which!r}')
        if which != "input" and self.objective == "hierarchical_softmax":
            raise ValueError(f"The outputs of a hierarchical softmax are nodes of a tree, and no words have them. Received: which={which!r}")
        matrices = {"input": [self.input_vectors], "output": [self.output_vectors], "mean": [self.input_vectors, self.output_vectors]}[which]
        matrix = np.mean([keras.ops.convert_to_numpy(matrix) for matrix in matrices], axis=0, dtype="float32")
        words = [i for i in np.argsort(-np.array(self.counts), kind="stable") if i not in set(self.tokenizer.special_ids)]
        return WordVectors([self.tokenizer.id_to_token(int(i)) for i in words], matrix[words])

    def get_config(self):
        return {
            **super().get_config(),
            "tokenizer": keras.saving.serialize_keras_object(self.tokenizer),
            "counts": self.counts,
            "dim": self.dim,
            "architecture": self.architecture,
            "objective": self.objective,
            "num_negatives": self.num_negatives,
            "max_updates": self.max_updates,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "tokenizer": keras.saving.deserialize_keras_object(config["tokenizer"])})

    def _shared(self, batches):
        """Yields batches as `fit` takes them, with the share of each place in the step of its row."""
        for batch in batches:
            if self.max_updates is not None:
                inputs = 1 if self.architecture == "cbow" else batch["context_mask"].sum(axis=1)[:, None]  # how many each output meets
                batch["context_share"] = self._share(batch["context_ids"], batch["context_mask"])
                batch["output_share"] = self._share(batch["output_ids"], batch["output_mask"] * inputs)
            yield (batch,)

    def _share(self, ids, times):
        """Returns by how much the update of each place is scaled, so that no row gets more than `max_updates`: float32, of the shape of `ids`."""
        number = np.bincount(ids.ravel(), weights=times.ravel(), minlength=len(self.counts))
        return np.minimum(1.0, self.max_updates / np.maximum(number, 1)).astype("float32")[ids]


# x of shape (B, N, D) as it is, with the gradient that reaches it multiplied by a share of shape (B, N)
_share_gradient = with_gradient(
    lambda x, share, save: (x, ()),
    lambda saved, upstream, x, share: (keras.ops.cast(share, upstream.dtype)[..., None] * upstream,),
)

# the mean of vectors (B, C, D) with weights (B, C), of whose error each vector takes the share (B, C) that is given, not its weight
_mean = with_gradient(
    lambda vectors, weights, share, save: (keras.ops.einsum("bc,bcd->bd", weights, vectors), ()),
    lambda saved, upstream, vectors, weights, share: (keras.ops.cast(share, upstream.dtype)[..., None] * upstream[:, None],),
)
