"""Captions: a convolutional network that sees, and a recurrent decoder that says what."""

import keras
import numpy as np

from keras_richctx.attention import coverage_penalty
from keras_richctx.datasets import caption_batches
from keras_richctx.ops.masks import padding_mask
from keras_richctx.text.pad_rows import pad_rows, row_mask
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation import LuongDecoder
from keras_richctx.vision.caption_images import caption_images
from keras_richctx.vision.conv_grid import ConvGrid
from keras_richctx.vision.image_decoder import ImageDecoder
from keras_richctx.vision.prepare_images import prepare_images

INJECTIONS = ("initial", "every_step", "attention")


@keras.saving.register_keras_serializable("keras_richctx")
class ImageCaptioner(VariedShapes):
    r"""Says what is in a picture: a grid of vectors from a convolutional network, and a recurrent decoder that is given their mean, or looks at them.

    $$a_i = \mathrm{ReLU}(W [f_i; r_i; c_i] + b), \qquad v = \frac{1}{S} \sum_i a_i$$

    where $f_i$ is what the encoder makes of the $i$-th of S cells, and $r_i$ and $c_i$, from -1 to 1, say in which row and column it is. Then, with $E y$ the
    embedded word,

    - `inject="initial"`: $h_0 = \tanh(W_0 v + b_0)$, and $h_t = f(E y_{t-1}, h_{t-1})$;
    - `inject="every_step"`: $h_t = f(E y_{t-1}, h_{t-1}, v)$, which for a plain cell is $\tanh(W_{xh} E y_{t-1} + W_{hh} h_{t-1} + W_{ih} v + b)$;
    - `inject="attention"`: at each step the decoder, having read the word before, looks at the grid: $c_t = \sum_i \alpha_{ti} a_i$, as a `LuongDecoder` does.
      (In the paper the state before it has read that word asks, so that a map cannot go by the word before it.)

    The model holds its tokenizer, so that a saved one writes by itself. A batch of pictures is its pictures one by one, and more padding changes no real
    position.

    Args:
        tokenizer: tokenizer of `keras_richctx.text` with beginning and end symbols.
        image_shape: tuple of three integers, H, W and channels. Defaults to `(48, 48, 3)`.
        encoder: Keras layer or model from pictures `(B, H, W, 3)`, of values from 0 to 255, to a grid `(B, h, w, D)`, such as a network of
            `keras.applications` with `include_top=False`, with its own preprocessing before it where it wants other values. Defaults to a `ConvGrid`.
            Features that were computed before, `(N, h, w, D)`, take the place of pictures with `encoder=keras.layers.Identity(), image_shape=(h, w, D)`.
        inject: string, `"initial"`, `"every_step"` or `"attention"`. Defaults to `"attention"`.
        units: integer, U, the width of the cells' vectors and of the decoder's state. Defaults to `256`.
        embedding_dim: integer, E, the width of the word embeddings. Defaults to `units`.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        score: string, the score of `Alignment`; with attention alone. Defaults to `"additive"`.
        dropout: float, the share of features dropped from embeddings and from what the output layer sees, in training. Defaults to `0.0`.
        coverage: float, the weight in the loss of `coverage_penalty`, which asks the attention to give each cell a weight of one over the whole caption
            ("doubly stochastic attention"). Defaults to `0.0`.
        fine_tune: boolean, whether the encoder is trained too. Without, it is frozen and works as in inference. Defaults to `True`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: a dict of `images`, `(B, H, W, 3)` from 0 to 255, and `token_ids`, integer `(B, T)`: the caption, beginning symbol first; and, if pads cannot be
            told by their id, `padding_mask`, boolean `(B, T)`. `prepare` makes it.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next word at each position, float `(B, T, V)`.

    Raises:
        ValueError: for an unknown `inject`, `cell` or `score`, a number out of its range, an encoder that makes no grid, or an argument that `inject` has no
            use for.

    Example:
        >>> scenes = krc.datasets.scenes(4)
        >>> tokenizer = krc.text.WordTokenizer.train([caption for captions in scenes.captions for caption in captions], vocab_size=50)
        >>> model = ImageCaptioner(tokenizer, units=8)
        >>> model.compile(keras.optimizers.Adam(0.001))
        >>> history = krc.training.fit(model, model.batches(scenes), progress=False)
        >>> said = model.caption(scenes.images[0], max_new_tokens=5)
        >>> said.maps.shape == (len(said.tokens), 6, 6)
        True

    References:
        [Vinyals et al., 2015](https://arxiv.org/abs/1411.4555); [Xu et al., 2015](https://arxiv.org/abs/1502.03044);
        [Karpathy and Fei-Fei, 2015](https://arxiv.org/abs/1412.2306).
    """

    def __init__(
        self,
        tokenizer,
        image_shape=(48, 48, 3),
        encoder=None,
        inject="attention",
        units=256,
        embedding_dim=None,
        cell="gru",
        score=None,
        dropout=0.0,
        coverage=0.0,
        fine_tune=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        embedding_dim = units if embedding_dim is None else embedding_dim
        if encoder is not None and not isinstance(encoder, keras.layers.Layer):
            raise ValueError(f"An encoder is a Keras layer or model. Received: encoder={encoder!r}")
        _check(tokenizer, image_shape, inject, units, embedding_dim, score, coverage)
        self.tokenizer = tokenizer
        self.image_shape = tuple(image_shape)
        self.inject = inject
        self.units = units
        self.embedding_dim = embedding_dim
        self.cell = cell
        self.score = score
        self.dropout_rate = dropout
        self.coverage = coverage
        self.fine_tune = fine_tune

        policy = {"dtype": self.dtype_policy}
        self.encoder = ConvGrid(name="encoder", **policy) if encoder is None else encoder
        self.encoder.trainable = fine_tune
        self.grid_shape, features = self._grid()
        size = self.grid_shape[0] * self.grid_shape[1]
        self.places = np.stack(np.meshgrid(*(np.linspace(-1, 1, side, dtype="float32") for side in self.grid_shape), indexing="ij"), axis=-1)  # (h, w, 2)
        self.cells = keras.layers.Dense(units, activation="relu", name="cells", **policy)
        # of unit variance: from the much smaller values of Keras' default, words take epochs to come through
        words = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=1.0), **policy}
        self.embedding = keras.layers.Embedding(tokenizer.vocab_size, embedding_dim, name="embedding", **words)
        if inject == "attention":
            score = "additive" if score is None else score
            self.decoder = LuongDecoder(units, cell, score, size if score == "location" else None, name="decoder", **policy)
        else:
            self.decoder = ImageDecoder(units, cell, inject, name="decoder", **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.output_projection = keras.layers.Dense(tokenizer.vocab_size, name="output_projection", **policy)
        self.cells.build((None, size, features + 2))
        self.build()  # all widths are known

    def _grid(self):
        """Builds the encoder; returns the height and width of its grid, and D."""
        shape = (None, *self.image_shape)
        if not self.encoder.built:
            self.encoder.build(shape)
        grid = tuple(self.encoder.compute_output_shape(shape))
        if len(grid) != 4 or None in grid[1:] or 0 in grid[1:]:
            raise ValueError(f"The encoder makes a grid of vectors, (B, h, w, D), of pictures of shape {self.image_shape}. Received: one that makes {grid}")
        return grid[1:3], grid[3]

    def build(self, input_shape=None):
        if self.built:
            return
        embedded = (None, None, self.embedding_dim)
        self.embedding.build((None, None))
        self.decoder.build(embedded, (None, self.grid_shape[0] * self.grid_shape[1], self.units), (None, self.units))
        self.output_projection.build((None, None, self.units))
        self.built = True

    @property
    def has_attention(self):
        """Whether there are attention weights to show."""
        return self.inject == "attention"

    @property
    def eos_id(self):
        """The id that ends a caption."""
        return self.tokenizer.eos_id

    @property
    def pad_id(self):
        """The id that fills up a caption in a batch."""
        return self.tokenizer.pad_id

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metric of captioning filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy of the next word: the sum over real positions divided by their number.
            weighted_metrics: `"auto"` for the token accuracy over real positions.
            **kwargs: passed to `keras.Model.compile`.
        """
        if loss == "auto":
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight")
        if weighted_metrics == "auto":
            weighted_metrics = [keras.metrics.SparseCategoricalAccuracy(name="token_accuracy")]
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, **kwargs)

    def call(self, inputs, training=False):
        features, weights = self._run(inputs, training)
        if training and self.coverage:
            real = self._mask(inputs)  # (B, T)
            self.add_loss(self.coverage * coverage_penalty(weights, real, keras.ops.ones_like(weights[:, 0], dtype="bool")))
        return self.output_projection(self.dropout(features, training=training))  # (B, T, V)

    def attention_weights(self, inputs):
        """Returns where in the picture each position looked: float `(B, T, h, w)`, each map with a sum of one.

        Args:
            inputs: what `call` takes.

        Raises:
            ValueError: if the model has no attention.
        """
        if not self.has_attention:
            raise ValueError(f"This model sees its picture as one vector and has no attention to show. Received: inject={self.inject!r}")
        _, weights = self._run(inputs)  # (B, T, S)
        return keras.ops.reshape(weights, (-1, keras.ops.shape(weights)[1], *self.grid_shape))

    def start(self, inputs, max_new_tokens):
        cells, image = self._see(inputs)
        memory, state = self.decoder.start(cells, image)
        first = keras.ops.full((keras.ops.shape(cells)[0],), self.tokenizer.bos_id, dtype="int32")
        return first, state, {name: tensor for name, tensor in memory.items() if tensor is not None}

    def step(self, token_ids, state, memory):
        features, _, state = self.decoder.step(self.embedding(token_ids), state, {"mask": None, **memory})
        return self.output_projection(features), state

    def _see(self, inputs, training=False):
        """Encodes the pictures: their cells `(B, S, U)`, and the mean of these `(B, U)`."""
        if not isinstance(inputs, dict) or "images" not in inputs:
            received = f"a dict of {sorted(inputs)}" if isinstance(inputs, dict) else f"a {type(inputs).__name__}"
            raise ValueError(f"An ImageCaptioner takes a dict of images and token_ids. Received: {received}, without images")
        shape = tuple(inputs["images"].shape)
        if len(shape) != 4 or any(side not in (None, own) for side, own in zip(shape[1:], self.image_shape)):
            raise ValueError(f"This ImageCaptioner is for images of shape {self.image_shape}; prepare makes them. Received: images of shape {shape}")
        grid = self.encoder(inputs["images"], training=training and self.fine_tune)  # (B, h, w, D)
        places = keras.ops.broadcast_to(keras.ops.cast(self.places, self.compute_dtype), (*keras.ops.shape(grid)[:-1], 2))  # (B, h, w, 2)
        # a_i = ReLU(W [f_i; r_i; c_i] + b);  v = mean_i a_i
        cells = self.cells(keras.ops.concatenate([keras.ops.cast(grid, self.compute_dtype), places], axis=-1))  # (B, h, w, U)
        cells = keras.ops.reshape(cells, (-1, self.grid_shape[0] * self.grid_shape[1], self.units))  # (B, S, U)
        return cells, keras.ops.mean(cells, axis=1)

    def _run(self, inputs, training=False):
        """Looks at the pictures and runs the decoder over known captions: features `(B, T, U)` and weights `(B, T, S)`."""
        cells, image = self._see(inputs, training)
        if "token_ids" not in inputs:
            raise ValueError(f"An ImageCaptioner takes a dict of images and token_ids. Received: a dict of {sorted(inputs)}, without token_ids")
        images, ids = (tuple(inputs[name].shape) for name in ("images", "token_ids"))
        if len(ids) != 2 or (None not in (images[0], ids[0]) and images[0] != ids[0]):
            raise ValueError(f"There is a row of token_ids for each picture. Received: images of shape {images} and token_ids of shape {ids}")
        embedded = self.dropout(self.embedding(inputs["token_ids"]), training=training)
        return self.decoder(embedded, cells, image)

    def _mask(self, inputs):
        mask = inputs.get("padding_mask")
        return padding_mask(inputs["token_ids"], self.tokenizer.pad_id) if mask is None else mask

    def prepare(self, images, captions=None):
        """Turns pictures, and captions where these are known, into what `call` takes.

        Args:
            images: array of shape `(B, H, W, 3)`, or a list of arrays `(H, W, 3)`, of values from 0 to 255. Pictures of other sizes than the model's are
                stretched to it.
            captions: list of B strings, or `None`. Defaults to `None`.

        Returns:
            A dict of arrays.

        Raises:
            ValueError: if the pictures have another form, or values from 0 to 1 as it seems, or there is not one caption for each.
        """
        inputs = {"images": prepare_images(images, self.image_shape)}
        if captions is None:
            return inputs
        captions = captions if isinstance(captions, str) else list(captions)
        if isinstance(captions, str) or len(captions) != len(inputs["images"]) or not all(isinstance(caption, str) for caption in captions):
            raise ValueError(f"There is a caption, a string, for each of {len(inputs['images'])} pictures. Received: captions={captions!r:.80}")
        rows = self.tokenizer(captions, bos=True)
        return {**inputs, "token_ids": pad_rows(rows, self.pad_id), "padding_mask": row_mask(rows)}  # (B, T) each

    def batches(self, pictures, batch_size=64, **options):
        """Makes batches for `fit` and `evaluate`; see [`caption_batches`][keras_richctx.datasets.caption_batches.caption_batches] for the options.

        Args:
            pictures: `CaptionedImages`, of the size of `image_shape`.
            batch_size: integer, captions in a step. Defaults to `64`.
            **options: `shuffle`, `seed`, `pad_to_multiple`.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: if the pictures are of another size, and where `caption_batches` raises it.
        """
        shape = tuple(pictures.images[:1].shape[1:])
        if len(pictures) and shape != self.image_shape:
            raise ValueError(f"This ImageCaptioner is trained on pictures of shape {self.image_shape}. Received: pictures of shape {shape}")
        return caption_batches(pictures, self.tokenizer, batch_size, **options)

    def caption(self, images, **options):
        """Says what is in pictures; see [`caption_images`][keras_richctx.vision.caption_images.caption_images] for the options.

        Args:
            images: array of shape `(H, W, 3)` for one picture, or what `prepare` takes for several.
            **options: `num_beams`, `length_penalty`, `max_new_tokens`, `batch_size`.

        Returns:
            A `Caption`, or a list of them in the order of `images`.
        """
        return caption_images(self, images, **options)

    def get_config(self):
        return {
            **super().get_config(),
            "tokenizer": keras.saving.serialize_keras_object(self.tokenizer),
            "image_shape": self.image_shape,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "inject": self.inject,
            "units": self.units,
            "embedding_dim": self.embedding_dim,
            "cell": self.cell,
            "score": self.score,
            "dropout": self.dropout_rate,
            "coverage": self.coverage,
            "fine_tune": self.fine_tune,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, **{name: keras.saving.deserialize_keras_object(config[name]) for name in ("tokenizer", "encoder")}})


def _check(tokenizer, image_shape, inject, units, embedding_dim, score, coverage):
    """Refuses what would fail, or be ignored, later."""
    if not hasattr(tokenizer, "vocab_size") or tokenizer.bos_id is None or tokenizer.eos_id is None:
        raise ValueError(f"A captioner takes a tokenizer of keras_richctx.text with beginning and end symbols. Received: tokenizer={tokenizer!r}")
    if inject not in INJECTIONS:
        raise ValueError(f"Unknown way to give the decoder its picture. Received: inject={inject!r}. Choose one of {', '.join(INJECTIONS)}.")
    if inject != "attention" and (score is not None or coverage):
        raise ValueError(f"Without attention there is neither a score nor a coverage. Received: inject={inject!r}, score={score!r}, coverage={coverage!r}")
    if not isinstance(image_shape, list | tuple) or len(image_shape) != 3 or not all(isinstance(side, int) and side > 0 for side in image_shape):
        raise ValueError(f"The shape of a picture is (height, width, channels). Received: image_shape={image_shape!r}")
    for name, width in (("units", units), ("embedding_dim", embedding_dim)):
        if not isinstance(width, int) or width < 1:
            raise ValueError(f"{name} is a width, a positive integer. Received: {name}={width!r}")
    if not 0 <= coverage < float("inf"):
        raise ValueError(f"The weight of the coverage penalty is a number of at least zero. Received: coverage={coverage!r}")
