"""The class of an image that is never seen whole: a recurrent network chooses where to look."""

import collections
import math

import keras
import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.ops import batch_ratio
from keras_richctx.ops.glimpse import glimpse
from keras_richctx.recurrent import GRUCell, LSTMCell, RNNCell
from keras_richctx.training.varied_shapes import VariedShapes

CELLS = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}
LOCATIONS = ("reinforce", "differentiable")


@keras.saving.register_keras_serializable("keras_richctx")
class GlimpseClassifier(VariedShapes):
    r"""Classifies an image by a series of glimpses at parts of it, each chosen by what was seen before.

    $$l_t = \tanh(W_l h_{t-1} + b_l) + \epsilon_t, \qquad
    g_t = \mathrm{ReLU}\bigl(W_1\, \mathrm{ReLU}(W_\rho\, \rho(x, l_t)) + W_2\, \mathrm{ReLU}(W_{loc}\, l_t)\bigr), \qquad
    h_t = \mathrm{cell}(g_t, h_{t-1}), \qquad \text{logits} = W_c\, h_T$$

    where $\rho$ is `krc.ops.glimpse`, $\epsilon_t$ noise of deviation $\sigma$ in training and none otherwise, and each map has a bias. The cost of an image
    does not hang on its size, but for the reading of the patches.

    With `location="reinforce"` no gradient goes through the patches to the place that they were read at. The reward $R$ is 1 where the class is right, and
    places are made more likely the better it is than what was expected, $b_t$, a map of $h_{t-1}$:

    $$L = -\log p(y \mid h_T) + \sum_t (R - b_t)^2 - \sum_t (R - b_t) \log \mathcal{N}(l_t;\, \tanh(W_l h_{t-1} + b_l), \sigma^2)$$

    in which $R - b_t$ of the last sum counts as a constant, and the last two sums reach $W_l$ and the map of the $b_t$ alone. With `location="differentiable"`
    the loss is the first term, and its gradient goes through the bilinear patches to where they were read. Outside of training the loss is the first term with
    either.

    Args:
        num_classes: integer, K.
        glimpses: integer, T, how many there are. Defaults to `6`.
        size: integer, P, the rows and columns of each patch. Defaults to `8`.
        scales: integer, S, the number of patches of a glimpse, each twice as wide as the one before. Defaults to `1`.
        units: integer, U, the width of the cell and of what it reads. Defaults to `256`.
        hidden: integer, the width of the patches' and of the place's own layer. Defaults to `128`.
        cell: string, `"lstm"`, `"gru"` or `"rnn"`. Defaults to `"lstm"`.
        location: string, how places are learnt, `"reinforce"` or `"differentiable"`. Defaults to `"reinforce"`.
        deviation: float, $\sigma$, in half-sides of the image. Defaults to `0.1`.
        dropout: float, the share of the features of $h_T$ that are dropped in training. Defaults to `0.0`.
        seed: integer, of the noise, or `None`. Defaults to `None`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        images: float tensor of shape `(B, H, W, C)`, best from 0 to 1.
        training: boolean, whether places are noisy and features dropped.

    Returns:
        A dict of float tensors: `logits`, `(B, K)`; `centres`, `(B, T, 2)`, row and column from -1 to 1; and with `location="reinforce"` their
        `log_probabilities` and the `baselines`, `(B, T)`. The loss and the metrics take it as it is.

    Raises:
        ValueError: if the cell or the way to learn places is unknown, or a number is not what it has to be.

    Example:
        >>> model = GlimpseClassifier(num_classes=10, glimpses=3, size=4, scales=2, units=16)
        >>> model(np.ones((2, 28, 28, 1)))["logits"].shape
        TensorShape([2, 10])
        >>> model.trace(np.ones((2, 28, 28, 1)))["patches"].shape
        (2, 3, 2, 4, 4, 1)

    References:
        [Mnih et al., 2014](https://arxiv.org/abs/1406.6247); [Ba et al., 2015](https://arxiv.org/abs/1412.7755).
    """

    takes_batch_ratios = True  # so that it is trained on several devices as on one

    def __init__(
        self,
        num_classes,
        glimpses=6,
        size=8,
        scales=1,
        units=256,
        hidden=128,
        cell="lstm",
        location="reinforce",
        deviation=0.1,
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, number in {"num_classes": num_classes, "glimpses": glimpses, "size": size, "scales": scales, "units": units, "hidden": hidden}.items():
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        if cell not in CELLS:
            raise ValueError(f"The cells are {', '.join(CELLS)}. Received: cell={cell!r}")
        if location not in LOCATIONS:
            raise ValueError(f"Places are learnt by one of {', '.join(LOCATIONS)}. Received: location={location!r}")
        if not 0 <= deviation < float("inf") or (deviation == 0 and location == "reinforce"):
            raise ValueError(f"deviation is a positive number; to learn places without noise pass location='differentiable'. Received: deviation={deviation!r}")
        if seed is not None:
            check_naturals(seed=seed)
        self.num_classes, self.glimpses, self.size, self.scales = num_classes, glimpses, size, scales
        self.units, self.hidden, self.cell_kind, self.location = units, hidden, cell, location
        self.deviation, self.dropout_rate, self.seed = deviation, dropout, seed
        policy = {"dtype": self.dtype_policy}
        self.see_patches = keras.layers.Dense(hidden, activation="relu", name="see_patches", **policy)
        self.see_place = keras.layers.Dense(hidden, activation="relu", name="see_place", **policy)
        self.from_patches = keras.layers.Dense(units, name="from_patches", **policy)
        self.from_place = keras.layers.Dense(units, name="from_place", **policy)
        self.cell = CELLS[cell](units, name="cell", **policy)
        self.choose = keras.layers.Dense(2, activation="tanh", name="choose", dtype="float32")
        self.expect = keras.layers.Dense(1, activation="sigmoid", name="expect", dtype="float32") if location == "reinforce" else None
        self.dropout = keras.layers.Dropout(dropout, seed=seed, name="dropout", **policy)
        self.classify = keras.layers.Dense(num_classes, name="classify", **policy)
        self.noise = keras.random.SeedGenerator(seed)

    def build(self, input_shape):
        if len(input_shape) != 4 or input_shape[-1] is None:
            raise ValueError(f"Images have the shape (batch, rows, columns, channels). Received: images of shape {tuple(input_shape)}")
        self.channels = input_shape[-1]
        self.see_patches.build((None, self.scales * self.size**2 * input_shape[-1]))
        self.see_place.build((None, 2))
        for layer in (self.from_patches, self.from_place):
            layer.build((None, self.hidden))
        for layer in (self.cell, self.choose, self.classify, *([self.expect] if self.expect else [])):
            layer.build((None, self.units))

    def compile(self, optimizer="adam", metrics="auto", jit_compile="auto", **kwargs):
        """Configures training, as `keras.Model.compile`; the loss is the model's own.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            metrics: `"auto"` for the accuracy; metrics get the logits.
            jit_compile: boolean or `"auto"`. Defaults to `"auto"`, since images are of one shape; without, a short training on TensorFlow is over sooner.
            **kwargs: passed to `keras.Model.compile`.
        """
        if kwargs.get("loss") is not None:
            raise ValueError(f"A GlimpseClassifier has a loss of its own. Received: loss={kwargs['loss']!r}. Leave it out.")
        metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")] if metrics == "auto" else metrics
        super().compile(optimizer=optimizer, metrics=metrics, jit_compile=jit_compile, **kwargs)

    def call(self, images, training=False):
        steps = self.look(images, training)
        last = self.dropout(steps["hidden"][:, -1], training=training)  # (B, U)
        return {"logits": self.classify(last), **{name: steps[name] for name in ("centres", "log_probabilities", "baselines") if name in steps}}

    def look(self, images, training=False):
        """Takes all glimpses.

        Args:
            images: float tensor of shape `(B, H, W, C)`.
            training: boolean, whether places are noisy.

        Returns:
            A dict of float tensors: `centres`, `(B, T, 2)`; `patches`, `(B, T, S, P, P, C)`; `hidden`, `(B, T, U)`; and with `location="reinforce"`
            `log_probabilities` and `baselines`, `(B, T)`.
        """
        if not self.built:
            self.build(tuple(images.shape))
        if len(images.shape) != 4 or images.shape[-1] != self.channels:
            raise ValueError(
                f"This GlimpseClassifier is for images of shape (batch, rows, columns, {self.channels}). Received: images of shape {tuple(images.shape)}"
            )
        images = keras.ops.cast(images, self.compute_dtype)
        batch = keras.ops.shape(images)[0]
        states = [keras.ops.zeros((batch, self.units), self.compute_dtype) for _ in self.cell.state_names]
        noise = self.deviation * keras.random.normal((batch, self.glimpses, 2), seed=self.noise) if training else None
        steps = collections.defaultdict(list)
        for t in range(self.glimpses):
            hidden = states[0] if self.location == "differentiable" else keras.ops.stop_gradient(states[0])
            # l_t = tanh(W_l h_{t-1} + b_l) + epsilon_t
            mean = self.choose(hidden)  # (B, 2)
            centre = mean if noise is None else mean + noise[:, t]
            if self.location == "reinforce":
                centre = keras.ops.stop_gradient(centre)
                steps["log_probabilities"].append(self._log_probability(centre, mean))
                steps["baselines"].append(self.expect(hidden)[:, 0])
            patches = glimpse(images, centre, self.size, self.scales)  # (B, S, P, P, C)
            output, states = self.cell(self.perceive(patches, centre), states)
            steps["centres"].append(centre)
            steps["patches"].append(patches)
            steps["hidden"].append(output)
        return {name: keras.ops.stack(values, axis=1) for name, values in steps.items()}

    def perceive(self, patches, centre):
        """Joins what is seen, `(B, S, P, P, C)`, with where, `(B, 2)`: `(B, U)`."""
        flat = keras.ops.reshape(patches, (-1, self.see_patches.kernel.shape[0]))  # (B, S P P C)
        # g_t = ReLU(W_1 ReLU(W_rho rho(x, l_t)) + W_2 ReLU(W_loc l_t))
        return keras.ops.relu(self.from_patches(self.see_patches(flat)) + self.from_place(self.see_place(centre)))

    def _log_probability(self, centre, mean):
        """The logarithm of the normal density at a place, `(B,)`."""
        squares = keras.ops.sum(keras.ops.square((centre - mean) / self.deviation), axis=-1)
        return -0.5 * squares - 2 * math.log(self.deviation) - math.log(2 * math.pi)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Computes the mean loss of an image; `y` is integer, `(B,)`, and `sample_weight` is `(B,)`; with an axis of one behind it each is the same."""
        logits = keras.ops.cast(y_pred["logits"], "float32")
        if y is None or len(y.shape) not in (1, 2) or (len(y.shape) == 2 and y.shape[1] != 1):
            shape = None if y is None else tuple(y.shape)
            raise ValueError(f"There is the id of a class for each image, (batch,). Received: y of shape {shape}")
        y = keras.ops.reshape(y, (-1,))
        loss = keras.losses.sparse_categorical_crossentropy(y, logits, from_logits=True)  # (B,)
        if training and self.location == "reinforce":
            right = keras.ops.cast(y, "int32") == keras.ops.cast(keras.ops.argmax(logits, axis=-1), "int32")
            # R - b_t
            better = keras.ops.cast(right, "float32")[:, None] - y_pred["baselines"]  # (B, T)
            chosen = keras.ops.stop_gradient(better) * y_pred["log_probabilities"]
            loss = loss + keras.ops.sum(keras.ops.square(better) - chosen, axis=-1)
        weights = keras.ops.ones_like(loss) if sample_weight is None else keras.ops.reshape(keras.ops.cast(sample_weight, "float32"), (-1,))
        return batch_ratio(loss * weights, weights) + sum(self.losses)

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Updates the metrics by the logits."""
        return super().compute_metrics(x, y, y_pred["logits"], sample_weight)

    def trace(self, images):
        """Shows where the model looks, and what it sees there and would say then.

        Args:
            images: float array of shape `(B, H, W, C)`.

        Returns:
            A dict of NumPy arrays: `centres`, `(B, T, 2)`, row and column from -1 to 1; `patches`, `(B, T, S, P, P, C)`; `hidden`, `(B, T, U)`; and
            `probabilities`, `(B, T, K)`, of the classes after each glimpse, of which the last is the answer.
        """
        steps = self.look(np.asarray(images, "float32"))
        probabilities = keras.ops.softmax(keras.ops.cast(self.classify(steps["hidden"]), "float32"))  # (B, T, K)
        shown = {"centres": steps["centres"], "patches": steps["patches"], "hidden": steps["hidden"], "probabilities": probabilities}
        return {name: np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(value, "float32"))) for name, value in shown.items()}

    def get_config(self):
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "glimpses": self.glimpses,
            "size": self.size,
            "scales": self.scales,
            "units": self.units,
            "hidden": self.hidden,
            "cell": self.cell_kind,
            "location": self.location,
            "deviation": self.deviation,
            "dropout": self.dropout_rate,
            "seed": self.seed,
        }
