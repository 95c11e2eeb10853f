"""AlexNet as it is printed, local response normalization beside TensorFlow's and PyTorch's formula, and new last layers on old networks."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.training import discriminative_rates
from keras_richctx.training.layer_groups import layer_groups


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (5, 13, 11, 1), "uint8")


def first(images, **options):
    made = krc.models.ImageClassifier(krc.layers.ConvGrid((3, 4)), num_classes=3, **{"pooling": "flatten", **options})
    made(images)
    return made


def stages_with_norms():
    """A backbone with what behaves otherwise in training."""
    return keras.Sequential([keras.layers.Conv2D(3, 3), keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)])


@pytest.mark.backends
@pytest.mark.parametrize("size", [1, 3, 5])
def test_the_normalization_is_the_papers_equation(size):
    a = np.random.default_rng(0).normal(size=(2, 3, 3, 7)).astype("float32")
    layer = krc.layers.LocalResponseNormalization(size, bias=1.5, alpha=0.7, beta=0.6)
    expected = np.empty_like(a)
    for i in range(7):
        around = (a[..., max(0, i - size // 2) : min(6, i + size // 2) + 1] ** 2).sum(axis=-1)
        expected[..., i] = a[..., i] / (1.5 + 0.7 * around) ** 0.6
    np.testing.assert_allclose(to_numpy(layer(a)), expected, rtol=1e-5)


def test_the_normalization_is_tensorflows():
    tf = pytest.importorskip("tensorflow")
    a = np.random.default_rng(0).normal(size=(2, 3, 3, 7)).astype("float32")
    expected = tf.nn.local_response_normalization(a, depth_radius=2, bias=2.0, alpha=1e-4, beta=0.75).numpy()
    np.testing.assert_allclose(to_numpy(krc.layers.LocalResponseNormalization()(a)), expected, rtol=1e-5)


def test_the_normalization_of_integers_is_that_of_their_numbers():
    a, layer = np.arange(24).reshape(2, 3, 4), krc.layers.LocalResponseNormalization(3, alpha=0.7)
    np.testing.assert_allclose(to_numpy(layer(a)), to_numpy(layer(a.astype("float32"))), rtol=1e-6)


def test_an_even_neighbourhood_is_refused():
    for option, value in (("bias", 0), ("bias", -1), ("alpha", -1), ("beta", float("nan"))):
        with pytest.raises(ValueError, match=f"{option}={value}"):
            krc.layers.LocalResponseNormalization(**{option: value})
    with pytest.raises(ValueError, match=r"odd positive integer\. Received: size=4"):
        krc.layers.LocalResponseNormalization(4)


def test_alexnet_is_the_one_that_is_printed():
    model = krc.models.AlexNet()
    shapes = model.output_shapes()
    assert not model.built  # nothing was allocated for it
    assert [shapes[name] for name in ("conv1", "pool1", "norm1", "conv2", "pool2", "norm2", "conv3", "conv4", "conv5", "pool3", "fc6", "fc7", "fc8")] == [
        (55, 55, 96),
        (27, 27, 96),
        (27, 27, 96),
        (27, 27, 256),
        (13, 13, 256),
        (13, 13, 256),
        (13, 13, 384),
        (13, 13, 384),
        (13, 13, 256),
        (6, 6, 256),
        (4096,),
        (4096,),
        (1000,),
    ]
    sides, channels = {"conv1": 11, "conv2": 5, "conv3": 3, "conv4": 3, "conv5": 3, "fc6": 1, "fc7": 1, "fc8": 1}, 3
    weights = 0
    for name, side in sides.items():
        channels = 6 * 6 * 256 if name == "fc6" else channels
        weights += side**2 * channels * shapes[name][-1] + shapes[name][-1]
        channels = shapes[name][-1]
    assert weights == 62_378_344


def test_a_narrower_alexnet_has_the_shapes_that_it_tells():
    model = krc.models.AlexNet(num_classes=3)
    for stage in model.stages:  # as it is, a sixteenth as wide
        if hasattr(stage, "filters"):
            stage.filters //= 16
        if getattr(stage, "units", 0) == 4096:
            stage.units = 16
    images = np.random.default_rng(0).uniform(size=(2, 67, 67, 3)).astype("float32")
    assert model(images).shape == (2, 3)
    assert model.output_shapes((67, 67, 3))["pool3"] == (1, 1, 16)
    x = images
    for stage in model.stages:
        x = stage(x)
        assert tuple(x.shape[1:]) == model.output_shapes((67, 67, 3))[stage.name]


@pytest.mark.parametrize("fine_tune", [False, True])
def test_fixed_features_stay_and_fine_tuned_ones_move(images, fine_tune):
    made = krc.models.ImageClassifier(stages_with_norms(), num_classes=3, fine_tune=fine_tune)
    made(images)
    made.compile(keras.optimizers.SGD(0.1), run_eagerly=True)
    before = [to_numpy(weight) for weight in made.backbone.weights[:-1]]  # the last one is the seed of dropout
    head = to_numpy(made.classify.kernel)
    made.fit(images, np.array([0, 1, 2, 0, 1]), epochs=2, verbose=0)
    moved = [bool((old != to_numpy(new)).any()) for old, new in zip(before, made.backbone.weights)]
    assert moved == [fine_tune] * len(before)  # the moving means too
    assert (to_numpy(made.classify.kernel) != head).any()


def test_fixed_features_are_those_of_prediction_in_training_too(images):
    made = krc.models.ImageClassifier(stages_with_norms(), num_classes=3, fine_tune=False)
    np.testing.assert_array_equal(to_numpy(made.features(images, training=True)), to_numpy(made.features(images)))


def test_what_is_transferred_is_a_copy(images):
    old = first(images)
    new = old.transfer(2, fine_tune=False)
    np.testing.assert_allclose(to_numpy(new.features(images)), to_numpy(old.features(images)), atol=1e-6)
    assert new(images).shape == (5, 2)
    assert old.backbone is not new.backbone
    assert len(old.trainable_variables) == 6  # it trains on
    assert len(new.trainable_variables) == 2


def test_what_is_transferred_keeps_its_precision(images):
    old = first(images, dtype="mixed_bfloat16")
    assert old.transfer(2).dtype_policy.name == "mixed_bfloat16"
    assert old.transfer(2, dtype="float32").dtype_policy.name == "float32"


def test_images_too_small_for_a_cell_are_refused(images):
    made = first(images, pooling="average")
    assert np.isfinite(to_numpy(made(np.zeros((1, 37, 37, 1), "uint8")))).all()
    for wrong in (lambda: made(images[:, :3]), lambda: first(images[:, :3])):
        with pytest.raises(ValueError, match=r"need 4 pixels a side\. Received: images of shape \(5, 3, 11, 1\)|no cells|one that makes \(5, 0, 2, 4\)"):
            wrong()


def test_groups_hold_each_weight_once_lowest_first(images):
    groups = layer_groups(first(images))
    assert [group[0].shape[-1] for group in groups] == [3, 4, 3]
    assert sum(map(len, groups)) == 6
    made = first(images)
    made.compile(discriminative_rates(keras.optimizers.SGD(0.1), made), run_eagerly=True)
    made.fit(images, np.zeros(5, int), verbose=0)


def test_a_model_of_kerass_zoo_serves_as_it_is():
    inputs = keras.Input((40, 40, 3))
    zoo = keras.applications.MobileNetV3Small(input_shape=(40, 40, 3), alpha=0.75, include_top=False, weights=None, minimalistic=True, input_tensor=inputs)
    made = krc.models.ImageClassifier(zoo, num_classes=2, fine_tune=False)
    assert made(np.zeros((1, 40, 40, 3), "float32")).shape == (1, 2)
    assert len(made.trainable_variables) == 2


def test_a_saved_model_gives_the_same_numbers(images, tmp_path):
    made = first(images, fine_tune=False, dropout=0.5)
    made.compile("adam")
    made.optimizer.build(made.trainable_variables)
    made.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(to_numpy(loaded(images)), to_numpy(made(images)), atol=1e-6)
    assert len(loaded.trainable_variables) == 2
    assert len(loaded.transfer(2).trainable_variables) == 6


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match=r"at least 2\. Received: num_classes=1"):
        krc.models.ImageClassifier(krc.layers.ConvGrid(), 1)
    with pytest.raises(ValueError, match=r"\(batch, height, width, channels\)\. Received: images of shape \(13, 11, 1\)"):
        krc.layers.ConvGrid((3,))(np.zeros((13, 11, 1)))
    for backbone in (None, "resnet"):
        with pytest.raises(ValueError, match=f"Received: backbone={backbone!r}"):
            krc.models.ImageClassifier(backbone, 2)
    with pytest.raises(ValueError, match=r"Received: one that makes \(2, 3, 4\)"):
        krc.models.ImageClassifier(keras.layers.Dense(4), 2)(np.zeros((2, 3, 5), "float32"))
    with pytest.raises(ValueError, match=r"average, flatten\. Received: pooling='max'"):
        krc.models.ImageClassifier(krc.layers.ConvGrid(), 2, pooling="max")
    with pytest.raises(ValueError, match=r"not built"):
        krc.models.ImageClassifier(krc.layers.ConvGrid(), 2).transfer(3)
