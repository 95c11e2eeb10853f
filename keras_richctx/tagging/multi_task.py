"""Several tasks over one encoder."""

import types

import keras

from keras_richctx.datasets import TaskSampler
from keras_richctx.metrics import TokenAccuracy
from keras_richctx.tagging.decoder import Decoder
from keras_richctx.tagging.mixed_batches import MixedBatches
from keras_richctx.tagging.tag_head import TagHead
from keras_richctx.tagging.task import Task
from keras_richctx.tagging.token_tagger import as_word_encoder
from keras_richctx.tagging.word_encoder import check_sentences
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation import RecurrentEncoder


@keras.saving.register_keras_serializable("keras_richctx")
class MultiTask(VariedShapes):
    r"""Learns several tasks at once over one encoder: what they share is learnt from all of their data.

    $$H(w) = \sum_k \lambda_k F_k(w), \qquad F_k = -\frac{\sum_i \log p_k(y_i \mid x_i)}{\sum_i n_i}$$

    With two tasks, the one that matters and an auxiliary one, that is $H(w) = F(w) + \lambda G(w)$: $n_i$ counts the words of sentence $i$, and a loss is
    over those sentences of a batch that are tagged for its task. The encoder and a stack of BiLSTMs are shared by all tasks (hard sharing); each has a head of
    its own, on the layer that it asks for. A task on a low layer leaves the layers above it to the others: their gradient reaches all layers up to their own.

    Auxiliary tasks may have data of their own, or be made of the same data: `krc.datasets.next_words`, `previous_words`, `log_frequencies` and `inverse` make
    tags that nobody has to write.

    More padding changes no word. Every step computes the emissions of all tasks, of those too that its sentences are not tagged for: a language model over a
    large vocabulary makes all steps slower.

    Args:
        encoder: what `TokenTagger` takes: a `WordFeatures`, a `Bert` or an `ELMo`, another word encoder, or a list of them.
        tasks: dict from the name of each task to its `Task`, or to a dict of the arguments of one. The first one is that which `predict_tags` gives by
            default.
        units: even integer, U, the width of each BiLSTM of the stack. Defaults to `200`.
        num_layers: integer, how many of them there are; 0 for heads on the encoder's own vectors. Defaults to `2`.
        dropout: float, the share of features that are dropped in training, before each BiLSTM and each head. Defaults to `0.3`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: what `prepare` returns.
        training: boolean, whether dropout is on.

    Returns:
        A dict from the name of each task to its emissions, float `(B, W, K)`.

    Raises:
        ValueError: if there are no tasks, a task reads a layer that is not there, or one half of a layer over vectors that have seen the whole sentence.

    Example:
        >>> texts = krc.datasets.argued_texts(8)
        >>> words = krc.layers.WordFeatures.from_sentences(texts["components"].words, embedding_dim=8)
        >>> model = MultiTask(
        ...     words,
        ...     {"components": {"tags": texts["components"].names}, "parts_of_speech": {"tags": texts["parts_of_speech"].names, "weight": 0.3, "layer": 1}},
        ...     units=6,
        ... )
        >>> model.compile(keras.optimizers.Adam(0.02))
        >>> data = {name: texts[name] for name in model.tasks}
        >>> history = krc.training.fit(model, model.batches(data, batch_size=4), epochs=1, progress=False)
        >>> len(model.predict_tags([["Python", "is", "open", "source", "."]])[0])
        5

    References:
        [Caruana, 1993](https://doi.org/10.1016/B978-1-55860-307-3.50012-5); [Collobert et al., 2011](https://arxiv.org/abs/1103.0398), section 5;
        [Søgaard and Goldberg, 2016](https://aclanthology.org/P16-2038/), tasks on lower layers; [Rei, 2017](https://arxiv.org/abs/1704.07156), language models
        beside a tagger.
    """

    takes_batch_ratios = True  # so that it is trained on several devices as on one

    def __init__(self, encoder, tasks, units=200, num_layers=2, dropout=0.3, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(tasks, dict) or not tasks or not all(isinstance(task, Task | dict) for task in tasks.values()):
            raise ValueError(f"tasks is a dict from names to what each task is, one at least. Received: tasks={tasks!r}")
        tasks = {name: task if isinstance(task, Task) else Task(**task) for name, task in tasks.items()}
        policy = {"dtype": self.dtype_policy}
        self.units = units
        self.num_layers = num_layers
        self.dropout_rate = dropout
        self.encoder = as_word_encoder(encoder, policy)
        if self.encoder.output_dim:
            raise ValueError("Only a TokenTagger puts vectors beside its output. Received: an encoder with at_output=True")
        for name, task in tasks.items():
            if not 0 <= (num_layers if task.layer is None else task.layer) <= num_layers:
                raise ValueError(f"There are the layers 0 to {num_layers}. Received: layer={task.layer} of task {name!r}")
            if task.direction != "both" and self.encoder.in_context:
                raise ValueError(
                    f"The vectors of {type(self.encoder).__name__} have seen the whole sentence, and with it what a language model is to foretell. "
                    f"Received: direction={task.direction!r} of task {name!r}. Encode plain words with WordFeatures, or leave the task out."
                )
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.stack = [RecurrentEncoder(units, cell="lstm", name=f"bilstm_{i + 1}", **policy) for i in range(num_layers)]
        self.heads = {name: TagHead(task.tags, task.crf, task.scheme, name=f"{name}_head", **policy) for name, task in tasks.items()}
        vars(self)["tasks"] = types.MappingProxyType(tasks)  # plain, so that Keras neither tracks nor copies it
        self(self.prepare([["a"]]))  # which tells every layer the widths

    def call(self, inputs, training=False):
        layers = self.shared_layers(inputs, training)
        emissions = {}
        for name, task in self.tasks.items():
            x = layers[-1 if task.layer is None else task.layer]  # (B, W, U), or (B, W, D) of the encoder
            if task.direction != "both":
                half = self.units // 2
                x = x[..., :half] if task.direction == "forward" else x[..., half:]  # (B, W, U / 2)
            emissions[name] = self.heads[name](self.dropout(x, training=training))  # (B, W, K)
        return emissions

    def shared_layers(self, inputs, training=False):
        """Computes what the tasks share.

        Args:
            inputs: what `prepare` returns.
            training: boolean, whether dropout is on. Defaults to `False`.

        Returns:
            A list of tensors: the encoder's vectors, float `(B, W, D)`, and the states of each layer of the stack, `(B, W, U)`.
        """
        layers = [keras.ops.cast(self.encoder(inputs, training=training), self.compute_dtype)]  # (B, W, D)
        for bilstm in self.stack:
            x, _ = bilstm(self.dropout(layers[-1], training=training), mask=inputs["word_mask"])  # (B, W, U)
            layers.append(x)
        return layers

    def prepare(self, sentences):
        """Turns sentences of words into what `call` takes: a dict of arrays."""
        return self.encoder.prepare(sentences)

    def batches(self, data, batch_size=32, sampler=None, shuffle=True, seed=0):
        """Makes batches for `fit` and `evaluate`.

        Args:
            data: dict from the names of some tasks, or all, to `TaggedSentences`. Those over the same sentences train together on each batch of these, the
                others in turns.
            batch_size: integer, sentences in a step. Defaults to `32`.
            sampler: `krc.datasets.TaskSampler`, or `None` for the proportional one, with which every sentence is read once a pass. Defaults to `None`.
            shuffle: boolean. Defaults to `True`.
            seed: integer, of the order. Defaults to `0`.

        Returns:
            A `keras.utils.PyDataset`: of each batch the inputs, and a dict from each task to the ids of the tags, int32 `(B, W)`, -1 where there are none.

        Raises:
            ValueError: if there is no such task, or a tag is none of the task's; the message names the sentence.
        """
        if not data or not set(data) <= set(self.tasks):
            raise ValueError(f"The tasks are {', '.join(self.tasks)}. Received: data of {', '.join(data) or 'none'}")
        pairs = {}
        for name, tagged in data.items():
            check_sentences(tagged.words)
            try:
                pairs[name] = (tagged.words, self.heads[name].ids(tagged.tags))
            except ValueError as error:
                raise ValueError(f"Task {name!r}: {error}") from None
        return MixedBatches(self.prepare, list(self.tasks), pairs, batch_size, sampler or TaskSampler(), shuffle, seed, self.encoder.max_length)

    def compile(self, optimizer="adam", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`; the loss is the weighted sum of the tasks' losses.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            weighted_metrics: dict from names of tasks to lists of metrics of emissions, such as `krc.metrics.Perplexity()` for a language model; or `"auto"`
                for the accuracy of the single tags of every task.
            jit_compile: boolean or `"auto"`, as of `TokenTagger`.
            **kwargs: passed to `keras.Model.compile`.
        """
        if kwargs.get("loss") is not None:
            raise ValueError(f"The loss of a MultiTask is the sum of its tasks'. Received: loss={kwargs['loss']!r}. Leave it out.")
        weighted_metrics = {name: [TokenAccuracy()] for name in self.tasks} if weighted_metrics == "auto" else weighted_metrics
        super().compile(optimizer=optimizer, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def task_losses(self, y, y_pred, sample_weight=None):
        """Computes the loss of each task, before its weight.

        Args:
            y: dict from each task to the ids of the tags, `(B, W)`, negative where there are none.
            y_pred: dict from each task to its emissions, `(B, W, K)`.
            sample_weight: float tensor of shape `(B,)`, one for each sentence, or `None`.

        Returns:
            A dict from each task to a float32 tensor without axes, the mean of a word in nats; zero where no sentence is tagged for it.
        """
        return {name: head.mean_loss(y[name], y_pred[name], sample_weight) for name, head in self.heads.items()}

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Computes the weighted sum of the tasks' losses; `sample_weight` is `(B,)`, one for each sentence."""
        losses = self.task_losses(y, y_pred, sample_weight)
        # H(w) = sum_k lambda_k F_k(w)
        return sum(task.weight * losses[name] for name, task in self.tasks.items()) + sum(self.losses)

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Updates the metrics, which neither pads nor sentences without tags count for."""
        return super().compute_metrics(x, y, y_pred, {name: keras.ops.cast(keras.ops.cast(y[name], "int32") >= 0, "float32") for name in self.tasks})

    def predict_tags(self, sentences, task=None, batch_size=32):
        """Tags sentences for one task.

        Args:
            sentences: list of lists of strings.
            task: string, the name of the task, or `None` for the first one. Defaults to `None`.
            batch_size: integer. Defaults to `32`.

        Returns:
            A list of lists of strings, a tag for each word.
        """
        task = next(iter(self.tasks)) if task is None else task
        if task not in self.tasks:
            raise ValueError(f"The tasks are {', '.join(self.tasks)}. Received: task={task!r}")
        programs = vars(self).setdefault("_programs", types.SimpleNamespace(decoders={}))  # a plain namespace, which Keras neither tracks nor saves
        if task not in programs.decoders:
            programs.decoders[task] = Decoder(self, self.heads[task], task)
        return programs.decoders[task].decode(sentences, batch_size)

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "tasks": {name: task.get_config() for name, task in self.tasks.items()},
            "units": self.units,
            "num_layers": self.num_layers,
            "dropout": self.dropout_rate,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "encoder": keras.saving.deserialize_keras_object(config["encoder"])})
