"""ELMo: vectors of words in their context, from every layer of a bidirectional language model."""

import keras

from keras_richctx.elmo import weights as files
from keras_richctx.elmo.bilm import BiLM
from keras_richctx.elmo.boundaries import add_boundaries, drop_boundaries
from keras_richctx.elmo.character_cnn import FILTERS, CharacterCNN, word_mask
from keras_richctx.elmo.vocabulary_cache import VocabularyCache, embed
from keras_richctx.ops.masks import as_mask
from keras_richctx.text.character_tokenizer import boundary_characters

# as published, with the seven widths of filters and two layers each; the last two differ in the text that they have read
SIZES = {
    "small": {"units": 1024, "projection_dim": 128, "num_highways": 1},  # 13.6M weights
    "medium": {"units": 2048, "projection_dim": 256, "num_highways": 1},  # 28.0M
    "original": {"units": 4096, "projection_dim": 512, "num_highways": 2},  # 93.6M
    "5.5B": {"units": 4096, "projection_dim": 512, "num_highways": 2},  # 93.6M
}


@keras.saving.register_keras_serializable("keras_richctx")
class ELMo(keras.Model):
    r"""The layers of a bidirectional language model over characters: of each word a vector that does not know its context, and L that do.

    $$h^0_t = [x_t; x_t], \quad x_t = \mathrm{CharacterCNN}(\text{word}_t), \qquad h^l_t = [\overrightarrow{h}^l_t;\, \overleftarrow{h}^l_t], \quad
    l = 1 \dots L$$

    The beginning and the end of each sentence are added, read, and left out of the output. Nothing is trained away: the weights are those of the files, and
    outputs equal the published ones. How the layers are put together is for a `krc.layers.ScalarMix` over them, or several. Pads change nothing, and come out
    as zeros; a row without words is read as its two boundaries.

    **State.** By default a sentence has the same vectors wherever it stands. With `stateful=True` each row goes on from the state that the row of the batch
    before it left, as the released code does, always, in training and outside: vectors then hang on what was read before. Batches may change their size; rows
    that a smaller batch has not got keep their state. The state is kept in variables of `max_batch_size` rows, which are no part of the published weights;
    `reset_state` sets it to zero.

    Args:
        filters: list of pairs of a width and a number of filters. Defaults to the seven of the published models.
        embedding_dim: integer, the width of a character's embedding. Defaults to `16`.
        num_highways: integer. Defaults to `2`.
        activation: string, of the convolutions, `"relu"` or `"tanh"`. Defaults to `"relu"`.
        max_characters: integer, C, the length of a word's row. Defaults to `50`.
        num_layers: integer, L, the layers of LSTMs. Defaults to `2`.
        units: integer, U, the width of the cells. Defaults to `4096`.
        projection_dim: integer, D, the width of a word's vector, and of each direction's output. Defaults to `512`.
        cell_clip: positive float or `None`. Defaults to `3.0`.
        projection_clip: positive float or `None`. Defaults to `3.0`.
        skip_connections: boolean, whether the second layer's input is added to its output, and so on. Defaults to `True`.
        project_characters: boolean, whether a matrix takes the filters to D numbers. Without it there must be D filters. Defaults to `True`.
        dropout: float, the share of each LSTM's input features that are dropped in training. Defaults to `0.0`.
        keep_boundaries: boolean, whether the outputs of the beginning and the end of each sentence are part of the output. Defaults to `False`.
        stateful: boolean. Defaults to `False`.
        max_batch_size: integer, the rows of the state, where there is one. Defaults to `128`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: dict of `character_ids`, integer `(B, T, C)`, as `krc.text.CharacterTokenizer` makes them, or that tensor itself; or a dict of `token_vectors`,
            float `(B, T, D)`, and `padding_mask`, boolean `(B, T)`, as `VocabularyCache` makes them.
        training: boolean, whether dropout is on.

    Returns:
        A dict of `layers`, float `(B, L + 1, T, 2 * D)`, and `mask`, boolean `(B, T)`, `True` at words. With `keep_boundaries` T + 2 positions, where each
        word stands one further on.

    Raises:
        ValueError: if a number is out of its range, or inputs are of another shape.

    Example:
        >>> model = ELMo(filters=[(1, 4), (3, 8)], units=6, projection_dim=5)
        >>> ids = krc.text.CharacterTokenizer()([["the", "bank"], ["banks"]])
        >>> outputs = model({"character_ids": ids})
        >>> outputs["layers"].shape, outputs["mask"].numpy().tolist()
        (TensorShape([2, 3, 2, 10]), [[True, True], [True, False]])

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365).
    """

    def __init__(
        self,
        filters=FILTERS,
        embedding_dim=16,
        num_highways=2,
        activation="relu",
        max_characters=50,
        num_layers=2,
        units=4096,
        projection_dim=512,
        cell_clip=3.0,
        projection_clip=3.0,
        skip_connections=True,
        project_characters=True,
        dropout=0.0,
        keep_boundaries=False,
        stateful=False,
        max_batch_size=128,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, number in (("max_characters", max_characters), ("max_batch_size", max_batch_size)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        self.max_characters = max_characters
        self.keep_boundaries = keep_boundaries
        self.stateful = stateful
        self.max_batch_size = max_batch_size
        self.character_cnn = CharacterCNN(
            filters,
            embedding_dim,
            num_highways,
            projection_dim if project_characters else None,
            activation,
            name="character_cnn",
            dtype=self.dtype_policy,
        )
        if self.character_cnn.output_dim != projection_dim:
            raise ValueError(
                f"Without a projection there are as many filters as the LSTMs put out. "
                f"Received: {self.character_cnn.num_filters} filters, projection_dim={projection_dim}, project_characters=False"
            )
        clips = {"cell_clip": cell_clip, "projection_clip": projection_clip, "skip_connections": skip_connections, "dropout": dropout}
        self.bilm = BiLM(num_layers, units, projection_dim, name="bilm", dtype=self.dtype_policy, **clips)
        self.build()

    def build(self, input_shape=None):
        if self.built:
            return
        self.character_cnn.build((None, None, self.max_characters))
        self.bilm.build((None, None, self.character_cnn.output_dim))
        self.state = []
        if self.stateful:
            like = self.bilm.initial_state(1)
            options = {"initializer": "zeros", "trainable": False, "autocast": False, "dtype": self.compute_dtype}
            self.state = [self.add_weight(shape=(self.max_batch_size, s.shape[1]), name=f"state_{i}", **options) for i, s in enumerate(like)]
        self.built = True

    def call(self, inputs, training=False):
        x, mask = self.token_vectors(inputs)  # (B, T + 2, D)
        states = self._read_state(keras.ops.shape(x)[0])
        contextual, states = self.bilm(x, mask=mask, state=states, return_state=True, training=training)  # (B, L, T + 2, 2 D)
        self._write_state(states)
        # h^0 = [x; x]
        lowest = keras.ops.where(mask[..., None], keras.ops.concatenate([x, x], axis=-1), 0)  # (B, T + 2, 2 D)
        layers = keras.ops.concatenate([lowest[:, None], contextual], axis=1)  # (B, L + 1, T + 2, 2 D)
        if self.keep_boundaries:
            return {"layers": layers, "mask": mask}
        words = self._words(inputs)
        return {"layers": drop_boundaries(layers, words), "mask": words}

    def token_vectors(self, inputs):
        """Computes what the LSTMs read: the vectors of all words, with those of the boundaries around each sentence.

        Args:
            inputs: what `call` takes.

        Returns:
            A pair: float `(B, T + 2, D)`, and the mask, boolean `(B, T + 2)`.
        """
        words = self._words(inputs)
        begin, end = (keras.ops.convert_to_tensor(row, dtype="int32") for row in boundary_characters(self.max_characters))
        if isinstance(inputs, dict) and "token_vectors" in inputs:
            begin, end = keras.ops.unstack(self.character_cnn(keras.ops.stack([begin, end])[None])[0], axis=0)  # (D,) each
            return add_boundaries(keras.ops.cast(inputs["token_vectors"], self.compute_dtype), words, begin, end)
        ids, mask = add_boundaries(keras.ops.cast(self._ids(inputs), "int32"), words, begin, end)
        return self.character_cnn(ids), mask

    def embed(self, sentences, batch_size=32, cache=None):
        """Computes the layers of sentences of words, each at its own length.

        The characters of each different word are read once. Sentences of like length share a batch.

        Args:
            sentences: list of lists of strings.
            batch_size: integer. Defaults to `32`.
            cache: `VocabularyCache` to look words up in, to which new ones are added, or `None` for a new one.

        Returns:
            A list of float arrays of shape `(L + 1, T, 2 * D)`, in the order of the sentences.
        """
        return embed(self, sentences, batch_size, VocabularyCache(self) if cache is None else cache)

    def reset_state(self):
        """Forgets what was read: sets the state of a stateful model to zero."""
        for variable in self.state:
            variable.assign(keras.ops.zeros_like(variable))

    def _ids(self, inputs):
        if isinstance(inputs, dict) and "character_ids" not in inputs:
            raise ValueError(f"ELMo takes a dict of character_ids. Received: a dict of {sorted(inputs)}")
        ids = inputs["character_ids"] if isinstance(inputs, dict) else inputs
        if len(ids.shape) != 3 or ids.shape[-1] not in (None, self.max_characters):
            raise ValueError(
                f"character_ids are of shape (batch, words, {self.max_characters}). Received: shape {tuple(ids.shape)}. "
                f"Make them with CharacterTokenizer(max_characters={self.max_characters})."
            )
        return ids

    def _words(self, inputs):
        """The mask of the words, boolean `(B, T)`."""
        if isinstance(inputs, dict) and "token_vectors" in inputs:
            return as_mask(inputs["padding_mask"], "padding_mask")
        return word_mask(self._ids(inputs))

    def _read_state(self, batch_size):
        if not self.stateful:
            return None
        if isinstance(batch_size, int) and batch_size > self.max_batch_size:
            raise ValueError(f"The state has {self.max_batch_size} rows. Received: a batch of {batch_size}. Pass max_batch_size={batch_size}, or more.")
        return [variable[:batch_size] for variable in self.state]

    def _write_state(self, states):
        for variable, new in zip(self.state, states):
            rest = variable[keras.ops.shape(new)[0] :]  # of rows that this batch has not got
            variable.assign(keras.ops.concatenate([keras.ops.stop_gradient(new), rest], axis=0))

    @classmethod
    def from_preset(cls, preset, weights=None, **options):
        """Loads a model as it was published; or makes one of the published sizes, with new weights.

        Args:
            preset: path of a directory with one `*options.json` and one `*weights.hdf5`; or path of an options file; or a name: `"small"`, `"medium"`,
                `"original"`, `"5.5B"`.
            weights: path of the file of weights, beside an options file.
            **options: arguments of the constructor that are to differ: `stateful`, `max_batch_size`, `keep_boundaries`, `dropout`, `dtype`, `name`; for a name
                all of them.

        Returns:
            An `ELMo`.

        Raises:
            FileNotFoundError: if there is no such directory or file.
            ValueError: if a file is damaged, or the two do not fit together, hold what the model has no place for, or lack what it needs.
        """
        if preset in SIZES and weights is None:
            return cls(**{**SIZES[preset], **options})
        return files.load(cls, preset, weights, options)

    def save_to_preset(self, preset_dir):
        """Writes the model as it was published: `options.json` and `weights.hdf5`, which AllenNLP's own code reads too.

        Args:
            preset_dir: path of the directory, which is made if needed.
        """
        files.save(self, preset_dir)

    def get_config(self):
        cnn, bilm = self.character_cnn, self.bilm
        return {
            **super().get_config(),
            "filters": cnn.filters,
            "embedding_dim": cnn.embedding_dim,
            "num_highways": cnn.num_highways,
            "activation": cnn.activation,
            "max_characters": self.max_characters,
            "num_layers": bilm.num_layers,
            "units": bilm.units,
            "projection_dim": bilm.projection_units,
            "cell_clip": bilm.cell_clip,
            "projection_clip": bilm.projection_clip,
            "skip_connections": bilm.skip_connections,
            "project_characters": cnn.projection is not None,
            "dropout": bilm.dropout_rate,
            "keep_boundaries": self.keep_boundaries,
            "stateful": self.stateful,
            "max_batch_size": self.max_batch_size,
        }
