"""Fine-tuning: the published recipe, and the tasks that it is for, with their data, models, measures and files."""

from keras_richctx.finetuning.abstract_task import Features, Task
from keras_richctx.finetuning.feature_classifier import FeatureClassifier
from keras_richctx.finetuning.recipe import FineTuning
from keras_richctx.finetuning.tasks import task

__all__ = ["FeatureClassifier", "Features", "FineTuning", "Task", "task"]
