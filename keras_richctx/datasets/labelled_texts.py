"""Texts, or pairs of texts, with a class or a number each."""

import dataclasses


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts to classify: what the GLUE readers give.

    `len`, and a slice gives `LabelledTexts`; an index gives `(text, second text or None, label or None)`.

    Args:
        first: list of N strings.
        second: list of N strings, the second texts of pairs, or `None` for single texts.
        labels: list of N integers, ids of classes; of N floats, for regression; or `None`, where they are kept secret.
        names: tuple of strings, the names of the classes in the order of their ids, or `None` for regression.

    Example:
        >>> texts = LabelledTexts(["It rains.", "It rains."], ["It is wet.", "It is dry."], [0, 1], ("entailment", "not_entailment"))
        >>> texts[1], texts.label_names
        (('It rains.', 'It is dry.', 1), ['entailment', 'not_entailment'])
    """

    first: list
    second: list | None = None
    labels: list | None = None
    names: tuple | None = None

    @property
    def label_names(self):
        """The name of each text's class, a list of strings, or `None` without labels or classes."""
        return None if self.labels is None or self.names is None else [self.names[label] for label in self.labels]

    def __len__(self):
        return len(self.first)

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return self.first[index], None if self.second is None else self.second[index], None if self.labels is None else self.labels[index]
        parts = {name: getattr(self, name) for name in ("first", "second", "labels")}
        return dataclasses.replace(self, **{name: None if part is None else part[index] for name, part in parts.items()})

    def __repr__(self):
        labels = "without labels" if self.labels is None else "with numbers" if self.names is None else f"of {', '.join(self.names)}"
        return f"<LabelledTexts: {len(self):,} {'texts' if self.second is None else 'pairs'} {labels}>"
