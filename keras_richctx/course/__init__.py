"""What a chapter calls beside the library itself: the first cell, the library's own source on the page, and the check of an exercise."""

from keras_richctx.course.check import check
from keras_richctx.course.notebook import notebook
from keras_richctx.course.show_source import show_source

__all__ = ["check", "notebook", "show_source"]
