"""Words in their context, as an ELMo reads them."""

import keras
import numpy as np

from keras_richctx.elmo import ScalarMix
from keras_richctx.tagging.word_encoder import WordEncoder, check_sentences, word_mask
from keras_richctx.text import CharacterTokenizer


@keras.saving.register_keras_serializable("keras_richctx")
class ELMoWords(WordEncoder):
    r"""Makes a vector of each word with an `ELMo`: a mix of its layers that the task learns.

    $$x_t = \gamma \sum_l s_l\, h^l_t, \qquad s = \mathrm{softmax}(w)$$

    The `ELMo` is the one that was given, not a copy. With `at_output`, a second mix of the same layers, with weights of its own, stands behind the first one: a
    `TokenTagger` with a BiLSTM puts it beside what the BiLSTM puts out.

    Args:
        elmo: `ELMo`, stateless.
        layer_norm: as in `ScalarMix`. Defaults to `None`.
        regularization: as in `ScalarMix`. Defaults to `0.0`.
        at_output: boolean, whether there is a second mix, for the output of the task's network. Defaults to `False`.
        fine_tune: boolean, whether the `ELMo` is trained too. Without, it is frozen, and never drops anything. Defaults to `False`.
        **kwargs: passed to `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: what `prepare` returns: `character_ids`, integer `(B, W, C)`, and `word_mask`.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, W, 2 * D)`, or `(B, W, 4 * D)` with `at_output`: the mix for the input, then that for the output.

    Raises:
        ValueError: if the `ELMo` is stateful, or keeps the boundaries of sentences.

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), section 3.3.
    """

    def __init__(self, elmo, layer_norm=None, regularization=0.0, fine_tune=False, at_output=False, **kwargs):
        super().__init__(**{"dtype": elmo.dtype_policy, **kwargs})
        if elmo.stateful or elmo.keep_boundaries:
            raise ValueError(f"Words are read one sentence at a time. Received: stateful={elmo.stateful}, keep_boundaries={elmo.keep_boundaries}")
        self.elmo = elmo
        self.fine_tune = fine_tune
        self.elmo.trainable = fine_tune
        self.at_output = at_output
        self.output_dim = 2 * elmo.bilm.projection_units if at_output else 0
        self.mix, self.output_mix = (
            ScalarMix(layer_norm, regularization, name=name, dtype=self.dtype_policy) if wanted else None
            for name, wanted in (("mix", True), ("output_mix", at_output))
        )
        for mix in filter(None, (self.mix, self.output_mix)):
            mix.build((None, elmo.bilm.num_layers + 1, None, None))
        self.built = True

    def prepare(self, sentences):
        check_sentences(sentences)
        mask = word_mask(sentences)  # (N, W)
        characters = CharacterTokenizer(self.elmo.max_characters)(sentences)
        return {"character_ids": np.pad(characters, ((0, 0), (0, mask.shape[1] - characters.shape[1]), (0, 0))), "word_mask": mask}

    def call(self, inputs, training=False):
        outputs = self.elmo({"character_ids": inputs["character_ids"]}, training=bool(training) and self.fine_tune)
        mixes = [mix(outputs["layers"], mask=outputs["mask"], training=training) for mix in (self.mix, self.output_mix) if mix is not None]  # (B, W, 2 D) each
        return keras.ops.concatenate(mixes, axis=-1) if self.at_output else mixes[0]

    def get_config(self):
        config = super().get_config()
        config.pop("dtype")  # the ELMo has it
        options = {"layer_norm": self.mix.layer_norm, "regularization": self.mix.regularization, "fine_tune": self.fine_tune, "at_output": self.at_output}
        return {**config, "elmo": keras.saving.serialize_keras_object(self.elmo), **options}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "elmo": keras.saving.deserialize_keras_object(config["elmo"])})
