"""BERT, RoBERTa and DistilBERT: the Transformer's encoder with its heads, and with weights from the files of the world."""

from keras_richctx.bert.answer import Answer
from keras_richctx.bert.bert import Bert
from keras_richctx.bert.bert_for_pretraining import BertForPretraining
from keras_richctx.bert.bert_task import BertTask
from keras_richctx.bert.best_spans import best_spans
from keras_richctx.bert.combine_layers import combine_layers
from keras_richctx.bert.masked_lm_head import MaskedLMHead
from keras_richctx.bert.span_answerer import SpanAnswerer
from keras_richctx.bert.text_classifier import TextClassifier

__all__ = ["Answer", "Bert", "BertForPretraining", "BertTask", "MaskedLMHead", "SpanAnswerer", "TextClassifier", "best_spans", "combine_layers"]
