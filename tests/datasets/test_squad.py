import json

import pytest

from keras_richctx.datasets import Question, Questions, load, read_squad


def file(folder, *questions, context="Ada codes in 1843 – alone."):
    content = {"version": "1.1", "data": [{"title": "Ada", "paragraphs": [{"context": context, "qas": list(questions)}]}]}
    path = folder / "squad.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def qa(id="q1", answers=((0, "Ada"),), **more):
    return {"id": id, "question": "Who?", "answers": [{"answer_start": start, "text": text} for start, text in answers], **more}


def test_the_official_file_is_read_whole(data_dir):
    questions = load("squad-1.1", "validation", data_dir)
    assert (len(questions), len(questions.titles)) == (10570, 48)
    assert questions[0].title == "Super_Bowl_50"
    assert questions[0].answers == ("Denver Broncos",) * 3
    assert questions[0].context[questions[0].starts[0] :].startswith("Denver Broncos")


def test_parts_by_article_share_none(data_dir):
    questions = load("squad-1.1", "validation", data_dir)
    first, second = questions.split_by_article(0.75)
    assert (len(first.titles), len(second.titles)) == (36, 12)
    assert not set(first.titles) & set(second.titles)
    assert len(first) + len(second) == len(questions)
    with pytest.raises(ValueError, match="share=1"):
        questions.split_by_article(1)


def test_both_versions_as_their_first_readers_take_them(fixtures_dir):
    one, two = (read_squad(fixtures_dir / "allennlp_readers" / name) for name in ("squad.json", "squad2.json"))
    assert all(each.answers for each in one)
    assert any(not each.answers for each in two)


def test_characters_are_code_points(tmp_path):
    assert read_squad(file(tmp_path, qa(answers=[(18, "– alone")])))[0].answers == ("– alone",)
    assert read_squad(file(tmp_path, qa(answers=[(2, "Ada")]), context="😀 Ada"))[0].starts == (2,)


def test_what_is_impossible_has_no_answer(tmp_path):
    questions = read_squad(file(tmp_path, qa(), qa("q2", (), is_impossible=True, plausible_answers=[{"answer_start": 0, "text": "Ada"}])))
    assert questions.answers == {"q1": ["Ada"], "q2": []}
    assert repr(questions) == "<Questions: 2 questions on 1 articles, 1 without an answer>"


@pytest.mark.parametrize(
    "questions, message",
    [
        ([qa(answers=[(1, "Ada")])], r"squad\.json: An answer is a span.*'Ada' at character 1, where 'da ' stands, of 'q1'"),
        ([qa(answers=[(-1, "Ada")])], "at character -1"),
        ([{"id": "q", "question": "Who?"}], r"squad\.json, data\[0\]\.paragraphs\[0\]\.qas\[0\]: not the layout of SQuAD, KeyError 'answers'"),
    ],
)
def test_what_is_not_right_is_named(tmp_path, questions, message):
    with pytest.raises(ValueError, match=message):
        read_squad(file(tmp_path, *questions))


def test_what_is_no_json_is_named(tmp_path):
    path = tmp_path / "a.json"
    for content, message in ((b'{\n"data": [', "line 2: no JSON"), (b'{"a": "\xe9"}', "not UTF-8: byte 0xe9"), (b"[]", "not the layout of SQuAD")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_squad(path)
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_squad(tmp_path / "b.json")


def test_questions_are_a_sequence():
    questions = Questions([Question("a", "?", "x"), Question("b", "?", "x")])
    assert isinstance(questions[:1], Questions)
    assert questions[1].id == "b"
    with pytest.raises(ValueError, match="'a' twice"):
        _ = Questions([questions[0], questions[0]]).answers
