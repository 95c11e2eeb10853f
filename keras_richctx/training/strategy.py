"""Which devices a model is trained on."""

import contextlib
import functools
import itertools
import json
import os

import keras

from keras_richctx.training.model_parallel import model_parallel

NAMES = ("auto", "one", "mirrored", "multi_worker", "tpu", "data_parallel", "model_parallel")
FIRST_KEYS = itertools.count(100_000, 100_000)
COUNTED = ("mirrored", "data_parallel", "model_parallel")  # for which a number of devices can be given


def strategy(name="auto", devices=None, parts=None):
    """Returns the strategy under which a model is built, compiled and trained.

    On TensorFlow these are the strategies of `tf.distribute`, on JAX those of `keras.distribution`. Whichever it is, it goes around all three:

    ```python
    with krc.training.strategy().scope():
        model = ...
        model.compile(...)
        krc.training.fit(model, data)
    ```

    `"auto"` takes the largest kind that is there: on TensorFlow a TPU, several machines (where the environment variable `TF_CONFIG` names them), several GPUs,
    one device; on JAX `"data_parallel"`; on PyTorch one device. Ask for it before anything is computed: TensorFlow lays out its devices once.

    Args:
        name: string, one of

            - `"auto"`;
            - `"one"`: the one device that the backend takes by itself;
            - `"mirrored"`: the GPUs of this machine, `tf.distribute.MirroredStrategy`; without GPUs, parts of its processor, to try things out on;
            - `"multi_worker"`: the machines that `TF_CONFIG` names, `tf.distribute.MultiWorkerMirroredStrategy`;
            - `"tpu"`: the TPU that the environment names, `tf.distribute.TPUStrategy`. It has not been tried, for want of a TPU;
            - `"data_parallel"`: the devices of `keras.distribution.DataParallel`, on JAX;
            - `"model_parallel"`: those of `keras.distribution.ModelParallel`, on JAX, on which the weights of a Transformer lie by heads and hidden units.
        devices: integer, how many devices to take, for `"mirrored"`, `"data_parallel"` and `"model_parallel"`, or `None` for all (of the parts of a processor,
            two). A processor is divided once in a process.
        parts: integer, for `"model_parallel"`, how many devices hold one copy of the model, or `None` for all of them. The copies share each batch.

    Returns:
        What has a `scope()`: a `tf.distribute.Strategy`, of which the same call returns the same object; a `keras.distribution.Distribution`; on PyTorch a
        `OneDevice`.

    Raises:
        ValueError: if there is no such strategy on this backend, if there are not so many devices or they cannot be parted so, or if `TF_CONFIG` is missing or
            cannot be understood.

    Example:
        >>> krc.training.strategy("one").num_replicas_in_sync
        1
    """
    if name not in NAMES:
        raise ValueError(f"A strategy is one of {', '.join(NAMES)}. Received: name={name!r}")
    if devices is not None and (name not in COUNTED or devices < 1):
        raise ValueError(f"devices is a number of devices of at least 1, for {', '.join(COUNTED)}. Received: name={name!r}, devices={devices!r}")
    if parts is not None and name != "model_parallel":
        raise ValueError(f"A model is held in parts by 'model_parallel' alone. Received: name={name!r}, parts={parts!r}")
    backend = keras.backend.backend()
    if backend == "tensorflow" and not name.endswith("_parallel"):
        return _on_tensorflow(name, devices)
    if backend == "jax" and (name in ("auto", "one") or name.endswith("_parallel")):
        there = _on_jax(1 if name == "one" else devices)
        return model_parallel(there, parts or len(there)) if name == "model_parallel" else keras.distribution.DataParallel(devices=there)
    if backend == "torch" and name in ("auto", "one"):
        return OneDevice()
    others = {"tensorflow": "Those in parallel are JAX's: set KERAS_BACKEND=jax.", "jax": "Set KERAS_BACKEND=tensorflow for it."}
    raise ValueError(
        f"There is no strategy {name!r} on the backend {backend!r}. {others.get(backend, 'There a model is trained on one device: auto, or one.')} "
        f"Received: name={name!r}"
    )


class OneDevice:
    """The device that the backend takes by itself, as a strategy."""

    def scope(self):
        """Returns a context in which nothing is different."""
        return contextlib.nullcontext()


@functools.cache  # several strategies over the same devices hinder each other
def _on_tensorflow(name, devices):
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    if name == "auto":
        name = "tpu" if _has_tpu() else "multi_worker" if "TF_CONFIG" in os.environ else "mirrored" if len(gpus) > 1 else "one"
    if name == "tpu":
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        return tf.distribute.TPUStrategy(resolver)
    if name == "multi_worker":
        check_cluster(os.environ.get("TF_CONFIG"))
        return tf.distribute.MultiWorkerMirroredStrategy()
    if name == "mirrored" and gpus:
        if devices is not None and devices > len(gpus):
            raise ValueError(f"This machine has {len(gpus)} GPUs. Received: devices={devices}")
        count = devices or len(gpus)
        # TensorFlow numbers the groups of devices that add up together, each strategy from this on: of two in one process, one would take the other's
        kind = type("MirroredStrategy", (tf.distribute.MirroredStrategy,), {"_collective_key_base": next(FIRST_KEYS)})
        return kind([f"GPU:{i}" for i in range(count)])
    if name == "mirrored":
        parts = _parts_of_the_processor(devices or 2)
        return tf.distribute.MirroredStrategy(parts, cross_device_ops=tf.distribute.ReductionToOneDevice())
    return tf.distribute.get_strategy()


def _has_tpu():
    """Whether the environment names a TPU, as Cloud TPU machines and Colab do."""
    return any(os.environ.get(name) for name in ("TPU_NAME", "COLAB_TPU_ADDR", "TPU_WORKER_ID"))


def _parts_of_the_processor(count):
    """Returns the names of so many logical devices, into which the processor is divided."""
    import tensorflow as tf

    (processor, *_) = tf.config.list_physical_devices("CPU")
    made = tf.config.get_logical_device_configuration(processor)
    if made is None or len(made) < count:
        try:
            tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * count)
        except RuntimeError as error:
            raise ValueError(
                f"TensorFlow has computed already, with {len(made or [1])} parts of the processor, and divides it once. Received: devices={count}. Ask for the "
                "strategy at the start of the program, the largest first."
            ) from error
    return [f"CPU:{i}" for i in range(count)]


def check_cluster(text):
    """Refuses a `TF_CONFIG` from which no cluster can be made.

    Args:
        text: string, the value of the environment variable, or `None`.

    Raises:
        ValueError: if it is missing, is not JSON, names no workers or other kinds of tasks, or names this machine as none of them.
    """
    example = """TF_CONFIG='{"cluster": {"worker": ["host0:12345", "host1:12345"]}, "task": {"type": "worker", "index": 0}}'"""
    if not text:
        raise ValueError(f"Several machines are found through TF_CONFIG, set on each with an index of its own. Received: none. For example {example}")
    try:
        config = json.loads(text)
        cluster, task = config["cluster"], config["task"]
        workers, kind, index = [*cluster.get("chief", []), *cluster.get("worker", [])], task["type"], int(task["index"])
    except (json.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"TF_CONFIG cannot be understood. Received: TF_CONFIG={text!r}. It has the form {example}") from error
    others = sorted(set(cluster) - {"chief", "worker"})
    if others:
        raise ValueError(f"All machines train alike here, as workers (one may be the chief). Received: a cluster with {', '.join(others)}.")
    if kind not in cluster or not 0 <= index < len(cluster[kind]):
        raise ValueError(f"The task is one of the cluster's. Received: task {kind} {index} of a cluster of {len(workers)} workers.")
    repeated = sorted({worker for worker in workers if workers.count(worker) > 1})
    if repeated:
        raise ValueError(f"Each worker has an address of its own. Received: {', '.join(repeated)} twice.")


def _on_jax(devices):
    """Returns the names of so many devices, or of all."""
    there = keras.distribution.list_devices()
    if devices is not None and devices > len(there):
        raise ValueError(f"JAX sees {len(there)} devices here. Received: devices={devices}")
    return there[:devices]
