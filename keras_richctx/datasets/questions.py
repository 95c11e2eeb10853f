"""Questions about paragraphs, answered by spans of them."""

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """One question about one paragraph.

    Args:
        id: string.
        question: string.
        context: string, the paragraph.
        answers: tuple of strings, the answers of several people, equals among them; empty where there is none.
        starts: tuple of integers, as many: where in the paragraph each answer begins, in characters (code points), so that
            `context[start : start + len(answer)] == answer`.
        title: string, that of the article.
    """

    id: str
    question: str
    context: str
    answers: tuple = ()
    starts: tuple = ()
    title: str = ""


class Questions(Sequence):
    """An immutable list of `Question`: what the readers of SQuAD give. A slice gives `Questions`.

    Args:
        questions: iterable of `Question`.

    Raises:
        ValueError: if an answer does not stand where it is said to.

    Example:
        >>> questions = Questions([Question("q1", "Who codes?", "Ada codes.", ("Ada",), (0,), "Ada"), Question("q2", "Why?", "Ada codes.", title="Ada")])
        >>> questions.answers
        {'q1': ['Ada'], 'q2': []}
    """

    def __init__(self, questions):
        self._questions = tuple(questions)
        for each in self._questions:
            for answer, start in zip(each.answers, each.starts, strict=True):
                if start < 0 or each.context[start : start + len(answer)] != answer:
                    found = each.context[max(start, 0) : max(start, 0) + len(answer)]
                    raise ValueError(f"An answer is a span of its paragraph. Received: {answer!r} at character {start}, where {found!r} stands, of {each.id!r}")

    @property
    def answers(self):
        """A dict from the id of each question to the list of its answers, empty where there is none: what `squad_scores` takes. No id may occur twice."""
        answers = {}
        for each in self._questions:
            if each.id in answers:
                raise ValueError(f"Each question has its own id. Received: {each.id!r} twice")
            answers[each.id] = list(each.answers)
        return answers

    @property
    def titles(self):
        """The titles of the articles, a list of strings, in the order of the file."""
        return list(dict.fromkeys(each.title for each in self._questions))

    def split_by_article(self, share):
        """Divides the questions into two parts that have no article in common.

        Args:
            share: float between 0 and 1, of the articles, the first ones in the order of the file, that go to the first part.

        Returns:
            A pair of `Questions`.

        Raises:
            ValueError: if a part would be empty.
        """
        titles = self.titles
        first = set(titles[: round(share * len(titles))])
        if not 0 < len(first) < len(titles):
            raise ValueError(f"Both parts have an article. Received: share={share!r} of {len(titles)} articles")
        parts = ([each for each in self._questions if (each.title in first) == wanted] for wanted in (True, False))
        return tuple(Questions(part) for part in parts)

    def __len__(self):
        return len(self._questions)

    def __getitem__(self, index):
        return Questions(self._questions[index]) if isinstance(index, slice) else self._questions[index]

    def __repr__(self):
        without = sum(not each.answers for each in self._questions)
        return f"<Questions: {len(self):,} questions on {len(self.titles):,} articles{f', {without:,} without an answer' if without else ''}>"
