"""Images drawn piece by piece on a canvas: a recurrent variational autoencoder that reads and writes through windows."""

import math

import keras
import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.ops import batch_ratio
from keras_richctx.ops.gaussian_filters import gaussian_filters
from keras_richctx.recurrent import LSTMCell
from keras_richctx.training.varied_shapes import VariedShapes


@keras.saving.register_keras_serializable("keras_richctx")
class DRAW(VariedShapes):
    r"""Draws an image in T steps on a canvas, each step told by a few latent numbers; with attention, each reads and writes a part of it only.

    $$\begin{aligned}
    \hat{x}_t &= x - \sigma(c_{t-1}) & (3) \qquad & r_t = \mathrm{read}(x, \hat{x}_t, h^{dec}_{t-1}) & (4) \\
    h^{enc}_t &= \mathrm{LSTM}^{enc}(h^{enc}_{t-1}, [r_t, h^{dec}_{t-1}]) & (5) \qquad & z_t \sim Q(z_t \mid h^{enc}_t) = \mathcal{N}(W_\mu h^{enc}_t,
    e^{2 W_\sigma h^{enc}_t}) & (6, 1, 2) \\
    h^{dec}_t &= \mathrm{LSTM}^{dec}(h^{dec}_{t-1}, z_t) & (7) \qquad & c_t = c_{t-1} + \mathrm{write}(h^{dec}_t) & (8)
    \end{aligned}$$

    What it minimises is an upper bound of $-\log p(x)$, in nats, by one draw of the $z_t$: what the image costs given the last canvas, and what the latent
    numbers cost given that their prior is $\mathcal{N}(0, 1)$,

    $$L = -\log D(x \mid c_T) + \sum_{t=1}^{T} \frac{1}{2} \sum_i \left( \mu_{ti}^2 + \sigma_{ti}^2 - \log \sigma_{ti}^2 - 1 \right) \quad (9, 11, 12)$$

    with a Bernoulli $D$ for each pixel. It is a bound for images of zeros and ones: draw them, anew in each epoch best, from grey ones.

    A window is a grid of $N \times N$ Gaussians, see `krc.ops.gaussian_filters`, which the decoder's last state lays over the image of A columns and B rows:

    $$(\tilde{g}_X, \tilde{g}_Y, \log \sigma^2, \log \tilde{\delta}, \log \gamma) = W h^{dec} \quad (21), \qquad
    g_X = \frac{A + 1}{2} (\tilde{g}_X + 1), \quad g_Y = \frac{B + 1}{2} (\tilde{g}_Y + 1), \quad \delta = \frac{\max(A, B) - 1}{N - 1}\, \tilde{\delta}
    \quad (22, 23, 24)$$

    $$\mathrm{read}(x, \hat{x}, h) = \gamma\, [F_Y\, x\, F_X^\top,\; F_Y\, \hat{x}\, F_X^\top] \quad (27), \qquad
    \mathrm{write}(h) = \frac{1}{\hat{\gamma}}\, \hat{F}_Y^\top\, w\, \hat{F}_X, \quad w = W_w h \quad (28, 29)$$

    A fresh window lies over the whole image without gaps, $\tilde{\delta} = 1$ and $\sigma = \delta / 2$, and writes numbers as they are,
    $\hat{\gamma} = \delta^{-2}$: what it does next is learnt.

    Without attention, $\mathrm{read} = [x, \hat{x}]$ (17) and $\mathrm{write} = W_w h$ (18), a number for each pixel.

    Args:
        image_shape: tuple of three integers, `(H, W, C)`. Defaults to `(28, 28, 1)`.
        steps: integer, T. Defaults to `10`.
        latent_dim: integer, Z, the latent numbers of one step. Defaults to `10`.
        units: integer, U, the width of each of the two LSTMs. Defaults to `256`.
        read_size: integer of at least 2, the rows and columns of the window that reads. Defaults to `5`.
        write_size: integer of at least 2, those of the one that writes. Defaults to `5`.
        attention: boolean, whether to read and write through windows. Defaults to `True`.
        seed: integer, of the draws, or `None`. Defaults to `None`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        images: float tensor of shape `(B, H, W, C)`, zeros and ones.

    Returns:
        A dict of float32 tensors: `logits`, `(B, H, W, C)`, the last canvas; and `divergences`, `(B, T)`, what the latent numbers of each step cost. The loss
        takes it as it is: `model.fit(images)` needs no targets.

    Raises:
        ValueError: if a number is not what it has to be, or images are of another shape.

    Example:
        >>> model = DRAW(image_shape=(9, 7, 1), steps=3, latent_dim=2, units=8, read_size=3, write_size=3)
        >>> model(np.ones((4, 9, 7, 1)))["divergences"].shape
        TensorShape([4, 3])
        >>> model.canvas(2).shape
        (2, 3, 9, 7, 1)

    References:
        [Gregor et al., 2015](https://arxiv.org/abs/1502.04623).
    """

    takes_batch_ratios = True  # so that it is trained on several devices as on one

    def __init__(self, image_shape=(28, 28, 1), steps=10, latent_dim=10, units=256, read_size=5, write_size=5, attention=True, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(image_shape, list | tuple) or len(image_shape) != 3 or not all(isinstance(side, int) and side > 0 for side in image_shape):
            raise ValueError(f"Images have rows, columns and channels, positive integers. Received: image_shape={image_shape!r}")
        if attention and max(image_shape[:2]) < 2:
            raise ValueError(f"A window lies over more than one pixel; pass attention=False. Received: image_shape={image_shape!r}")
        if seed is not None:
            check_naturals(seed=seed)
        least = {"steps": (steps, 1), "latent_dim": (latent_dim, 1), "units": (units, 1), "read_size": (read_size, 2), "write_size": (write_size, 2)}
        for name, (number, lowest) in least.items():
            if not isinstance(number, int) or number < lowest:
                raise ValueError(f"{name} is an integer of at least {lowest}. Received: {name}={number!r}")
        self.image_shape = tuple(image_shape)
        self.steps, self.latent_dim, self.units = steps, latent_dim, units
        self.read_size, self.write_size, self.attention, self.seed = read_size, write_size, attention, seed
        policy = {"dtype": self.dtype_policy}
        height, width, channels = self.image_shape
        pixels = height * width * channels
        self.encoder = LSTMCell(units, name="encoder", **policy)
        self.decoder = LSTMCell(units, name="decoder", **policy)
        self.to_mean = keras.layers.Dense(latent_dim, name="to_mean", **policy)
        self.to_log_deviation = keras.layers.Dense(latent_dim, name="to_log_deviation", **policy)
        self.to_writing = keras.layers.Dense(write_size**2 * channels if attention else pixels, name="to_writing", **policy)
        self.to_windows = [keras.layers.Dense(5, name=f"to_{kind}_window", dtype="float32") for kind in ("read", "write")] if attention else []
        for layer in (self.to_mean, self.to_log_deviation, self.to_writing, *self.to_windows):
            layer.build((None, units))
        for layer, size, writes in zip(self.to_windows, (read_size, write_size), (False, True)):
            stride = (max(height, width) - 1) / (size - 1)
            # x, y, log sigma^2, log delta~, log gamma
            layer.bias.assign([0.0, 0.0, 2 * math.log(stride / 2), 0.0, -2 * math.log(stride) if writes else 0.0])
        self.encoder.build((None, 2 * (read_size**2 * channels if attention else pixels) + units))
        self.decoder.build((None, latent_dim))
        self.first_canvas = self.add_weight(shape=self.image_shape, initializer="zeros", name="first_canvas")
        self.first_states = [self.add_weight(shape=(units,), initializer="zeros", name=f"first_state_{i}") for i in range(4)]
        self.draws = keras.random.SeedGenerator(seed)
        self.built = True

    def compile(self, optimizer="adam", jit_compile="auto", **kwargs):
        """Configures training, as `keras.Model.compile`; the loss is the model's own.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            jit_compile: boolean or `"auto"`. Defaults to `"auto"`, since images are of one shape; without, a short training on TensorFlow is over sooner.
            **kwargs: passed to `keras.Model.compile`.
        """
        if kwargs.get("loss") is not None:
            raise ValueError(f"DRAW has a loss of its own. Received: loss={kwargs['loss']!r}. Leave it out.")
        super().compile(optimizer=optimizer, jit_compile=jit_compile, **kwargs)

    def call(self, images):
        found = self.draw(images)
        return {"logits": found["canvases"][:, -1], "divergences": found["divergences"]}

    def draw(self, images=None, count=None):
        """Takes all steps: those that tell an image, or, without images, those of latent numbers from their prior.

        Args:
            images: float tensor of shape `(B, H, W, C)`, or `None`. Defaults to `None`.
            count: integer, B, where there are no images. Defaults to `None`.

        Returns:
            A dict of float32 tensors: `canvases`, `(B, T, H, W, C)`, before the sigmoid; `divergences`, `(B, T)`, with images; and with attention
            `write_windows` and, with images, `read_windows`, `(B, T, 4)`: row and column of the middle, in pixels from 0, the stride and the deviation.
        """
        if images is None and (not isinstance(count, int | np.integer) or count < 1):
            raise ValueError(f"Without images it has to be said how many to draw, a positive integer. Received: count={count!r}")
        if images is not None and tuple(images.shape[1:]) != self.image_shape:
            raise ValueError(f"This DRAW is for images of shape {self.image_shape}. Received: images of shape {tuple(images.shape)}")
        images = None if images is None else keras.ops.cast(images, self.compute_dtype)
        batch = count if images is None else keras.ops.shape(images)[0]
        canvas = self._rows(self.first_canvas, batch, "float32")  # (B, H, W, C)
        encoder_states, decoder_states = ([self._rows(state, batch) for state in pair] for pair in (self.first_states[:2], self.first_states[2:]))
        noise = keras.random.normal((batch, self.steps, self.latent_dim), dtype="float32", seed=self.draws)
        steps = {}
        for t in range(self.steps):
            now = {}
            latent = noise[:, t]  # (B, Z)
            if images is not None:
                # x^_t = x - sigma(c_{t-1})
                error = images - keras.ops.cast(keras.ops.sigmoid(canvas), images.dtype)
                glimpse, now["read_windows"] = self.read(images, error, decoder_states[0])
                # h^enc_t = LSTM^enc(h^enc_{t-1}, [r_t, h^dec_{t-1}])
                hidden, encoder_states = self.encoder(keras.ops.concatenate([glimpse, decoder_states[0]], axis=-1), encoder_states)
                mean, log_deviation = (keras.ops.cast(layer(hidden), "float32") for layer in (self.to_mean, self.to_log_deviation))
                # z_t ~ N(mu_t, sigma_t^2)
                latent = mean + keras.ops.exp(log_deviation) * latent
                now["divergences"] = gaussian_divergence(mean, log_deviation)
            # h^dec_t = LSTM^dec(h^dec_{t-1}, z_t)
            hidden, decoder_states = self.decoder(keras.ops.cast(latent, self.compute_dtype), decoder_states)
            written, now["write_windows"] = self.write(hidden)
            # c_t = c_{t-1} + write(h^dec_t)
            canvas = canvas + keras.ops.cast(written, "float32")
            now["canvases"] = canvas
            for name, value in now.items():
                steps.setdefault(name, []).append(value)
        return {name: keras.ops.stack(values, axis=1) for name, values in steps.items() if values[0] is not None}

    def read(self, images, error, hidden):
        """Reads an image and what the canvas lacks of it: `(B, 2 N N C)`, or all pixels without attention; and the window, `(B, 4)`, or `None`."""
        both = keras.ops.concatenate([images, error], axis=-1)  # (B, H, W, 2 C)
        window = None
        if self.attention:
            rows, columns, intensity, window = self.window(self.to_windows[0](hidden), self.read_size, both.dtype)
            # gamma [F_Y x F_X^T, F_Y x^ F_X^T]
            both = keras.ops.einsum("bjw,biwc->bijc", columns, keras.ops.einsum("bih,bhwc->biwc", rows, both))  # (B, N, N, 2 C)
            both = both * intensity
        return keras.ops.reshape(both, (-1, 2 * self.image_shape[2] * (self.read_size**2 if self.attention else np.prod(self.image_shape[:2])))), window

    def write(self, hidden):
        """What a state of the decoder adds to the canvas, `(B, H, W, C)`, and the window, `(B, 4)`, or `None`."""
        writing = self.to_writing(hidden)
        if not self.attention:
            return keras.ops.reshape(writing, (-1, *self.image_shape)), None
        writing = keras.ops.reshape(writing, (-1, self.write_size, self.write_size, self.image_shape[2]))  # (B, N, N, C)
        rows, columns, intensity, window = self.window(self.to_windows[1](hidden), self.write_size, writing.dtype)
        # F_Y^T w F_X / gamma
        written = keras.ops.einsum("bih,bijc->bhjc", rows, writing)  # (B, H, N, C)
        return keras.ops.einsum("bjw,bhjc->bhwc", columns, written) / intensity, window

    def window(self, numbers, size, dtype):
        """Lays a window over the image.

        Args:
            numbers: float32 tensor of shape `(B, 5)`, what a state says of it.
            size: integer, N.
            dtype: string, of what is returned.

        Returns:
            The filters of the rows, `(B, N, H)`, those of the columns, `(B, N, W)`, the intensity, `(B, 1, 1, 1)`, and, in float32, `(B, 4)`: row and column
            of the middle, in pixels from 0, the stride and the deviation.
        """
        height, width, _ = self.image_shape
        x, y, log_variance, log_stride, log_intensity = keras.ops.unstack(numbers, 5, axis=-1)  # (B,) each
        # g_X = (A + 1) / 2 (g~_X + 1), delta = (max(A, B) - 1) / (N - 1) delta~
        middle_x, middle_y = (width + 1) / 2 * (x + 1), (height + 1) / 2 * (y + 1)
        stride = (max(height, width) - 1) / (size - 1) * keras.ops.exp(log_stride)
        variance = keras.ops.exp(log_variance) + 1e-4
        rows = gaussian_filters(middle_y, stride, variance, size, height)
        columns = gaussian_filters(middle_x, stride, variance, size, width)
        shown = keras.ops.stack([middle_y - 1, middle_x - 1, stride, keras.ops.sqrt(variance)], axis=-1)
        intensity = keras.ops.exp(log_intensity)[:, None, None, None]
        return *(keras.ops.cast(value, dtype) for value in (rows, columns, intensity)), shown

    def _rows(self, weight, batch, dtype=None):
        """A weight, the same for each row of a batch."""
        return keras.ops.broadcast_to(keras.ops.cast(weight, dtype or self.compute_dtype), (batch, *weight.shape))

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Computes the mean bound of an image, in nats; `sample_weight` is `(B,)`."""
        images, logits = keras.ops.cast(x, "float32"), y_pred["logits"]
        # -log D(x | c_T) = sum of log(1 + e^c) - x c
        missed = keras.ops.sum(keras.ops.softplus(logits) - images * logits, axis=(1, 2, 3))  # (B,)
        bound = missed + keras.ops.sum(y_pred["divergences"], axis=-1)
        weights = keras.ops.ones_like(bound) if sample_weight is None else keras.ops.reshape(keras.ops.cast(sample_weight, "float32"), (-1,))
        return batch_ratio(bound * weights, weights) + sum(self.losses)

    def canvas(self, n=1):
        """Draws images that nobody has shown.

        Args:
            n: integer, B, how many. Defaults to `1`.

        Returns:
            A float array of shape `(n, T, H, W, C)`, the canvas after each step, from 0 to 1: `canvas(n)[:, -1]` are the probabilities of the pixels.

        Raises:
            ValueError: if `n` is not a positive integer.
        """
        return keras.ops.convert_to_numpy(keras.ops.sigmoid(self.draw(count=n)["canvases"]))

    def trace(self, images):
        """Shows how images are drawn.

        Args:
            images: float array of shape `(B, H, W, C)`.

        Returns:
            A dict of NumPy arrays: `canvases`, `(B, T, H, W, C)`, from 0 to 1; `divergences`, `(B, T)`, in nats; and with attention `read_windows` and
            `write_windows`, `(B, T, 4)`: row and column of the middle, in pixels from 0, the stride between two of its points, and their deviation.

        Raises:
            ValueError: if the images are of another shape, or have pixels that are not from 0 to 1.
        """
        images = np.asarray(images, "float32")
        if not ((images >= 0) & (images <= 1)).all():
            raise ValueError(f"The pixels of an image are from 0 to 1. Received: images with pixels from {images.min()} to {images.max()}")
        found = self.draw(keras.ops.convert_to_tensor(images))
        return {name: keras.ops.convert_to_numpy(keras.ops.sigmoid(value) if name == "canvases" else value) for name, value in found.items()}

    def get_config(self):
        names = ("image_shape", "steps", "latent_dim", "units", "read_size", "write_size", "attention", "seed")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def gaussian_divergence(mean, log_deviation):
    r"""What it costs to tell numbers from a normal distribution to someone who expects the standard one, in nats.

    $$\mathrm{KL}\bigl(\mathcal{N}(\mu, \sigma^2)\,\|\,\mathcal{N}(0, 1)\bigr) = \frac{1}{2} \sum_i \left( \mu_i^2 + \sigma_i^2 - \log \sigma_i^2 - 1 \right)$$

    Args:
        mean: float tensor of shape `(B, Z)`.
        log_deviation: float tensor of shape `(B, Z)`, $\log \sigma$.

    Returns:
        A float tensor of shape `(B,)`.

    Example:
        >>> gaussian_divergence(np.array([[2.0]]), np.array([[0.0]])).numpy()
        array([2.])
    """
    return 0.5 * keras.ops.sum(keras.ops.square(mean) + keras.ops.exp(2 * log_deviation) - 2 * log_deviation - 1, axis=-1)
