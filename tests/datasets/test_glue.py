import pytest

from keras_richctx.datasets import LabelledTexts, load

COUNTS = {  # as published; None where the official file is not at hand
    "cola": (8551, 1043, 1063),
    "sst-2": (67349, 872, None),
    "mrpc": (3668, 408, 1725),
    "sts-b": (5749, 1500, None),
    "qnli": (None, 5463, 5463),
    "rte": (2490, 277, 3000),
    "wnli": (635, 71, 146),
}
HEADERS = {
    "QQP": "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n",
    "RTE": "index\tsentence1\tsentence2\tlabel\n",
    "MNLI": "index\tpromptID\tsentence1\tsentence2\tlabel1\tgold_label\n",
    "STS-B": "index\tsentence1\tsentence2\tscore\n",
}


def write(folder, task, file, text):
    (folder / "glue" / task).mkdir(parents=True, exist_ok=True)
    (folder / "glue" / task / file).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


@pytest.mark.parametrize("name", COUNTS)
def test_official_files_are_read_whole(data_dir, name):
    for split, count in zip(("train", "validation", "test"), COUNTS[name]):
        if count is not None:
            texts = load(name, split, data_dir)
            assert len(texts) == count
            assert (texts.labels is None) == (split == "test")
            assert all(text == text.strip() and text for text in [*texts.first, *(texts.second or [])])


def test_known_lines_of_official_files(data_dir):
    assert load("cola", "validation", data_dir)[0] == ("The sailors rode the breeze clear of the rocks.", None, 1)
    assert load("cola", "test", data_dir).first[0] == "Bill whistled past the house."
    assert load("sst-2", "validation", data_dir).label_names[:2] == ["positive", "negative"]
    mrpc = load("mrpc", "validation", data_dir)
    assert mrpc.second[0] == '"The foodservice pie business does not fit our long-term growth strategy.'  # a quotation mark that none closes
    assert load("sts-b", "validation", data_dir).labels[:2] == [5.0, 4.75]
    assert load("rte", "validation", data_dir).label_names[:2] == ["not_entailment", "entailment"]
    assert sum(load("wnli", "validation", data_dir).labels) == 31


def test_columns_go_by_their_names(tmp_path):
    write(tmp_path, "MNLI", "dev_matched.tsv", HEADERS["MNLI"] + "0\t7\tA.\tB.\tneutral\tcontradiction\n")
    write(tmp_path, "MNLI", "dev_mismatched.tsv", HEADERS["MNLI"] + "0\t7\tC.\tD.\tneutral\tneutral\n")
    write(tmp_path, "QQP", "test.tsv", "id\tquestion1\tquestion2\n0\tWhy?\tHow?\n")
    matched, mismatched = (load(name, "validation", tmp_path) for name in ("mnli-m", "mnli-mm"))
    assert matched[0] == ("A.", "B.", 2)
    assert mismatched.label_names == ["neutral"]
    assert load("qqp", "test", tmp_path)[0] == ("Why?", "How?", None)


@pytest.mark.parametrize(
    "task, text, message",
    [
        ("RTE", HEADERS["RTE"] + "0\tA.\tB.\tentailment\n1\tA.\tB.\n", r"RTE/dev\.tsv, line 3: 3 columns, where 4 are needed\. Received: '1"),
        ("RTE", HEADERS["RTE"] + "0\tA.\tB.\tmaybe\n", r"line 2: the label 'maybe' is none of entailment, not_entailment"),
        ("STS-B", HEADERS["STS-B"] + "0\tA.\tB.\t5.5\n", r"line 2: the score '5.5' is no number from 0 to 5"),
        ("STS-B", HEADERS["STS-B"] + "0\tA.\tB.\tnan\n", r"line 2: the score 'nan'"),
        ("RTE", "index\tsentence1\tlabel\n", r"line 1: the header of rte has .*without sentence2"),
        ("RTE", HEADERS["RTE"].encode() + b"0\tA\xe9.\tB.\tentailment\n", r"line 2: byte 0xe9, the 4th of the line, is not UTF-8"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, task, text, message):
    write(tmp_path, task, "dev.tsv", text)
    with pytest.raises(ValueError, match=message):
        load(task.lower(), "validation", tmp_path)


def test_bad_lines_are_left_out_when_asked_to_and_counted(tmp_path):
    write(tmp_path, "QQP", "train.tsv", HEADERS["QQP"] + "0\t1\t2\tWhy?\tHow?\t1\n1\t3\t4\tbroken\n2\t5\t6\tWho?\tWho?\t0\n")
    with pytest.raises(ValueError, match=r'line 3: 4 columns.*on_bad="skip"'):
        load("qqp", data_dir=tmp_path)
    with pytest.warns(UserWarning, match="1 of 3 lines left out, the first of them .*line 3"):
        assert load("qqp", data_dir=tmp_path, on_bad="skip").labels == [1, 0]


def test_a_file_that_is_not_there_says_what_to_get_and_where_to_put_it(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"gluebenchmark\.com/tasks and put it at glue/QQP/train\.tsv or QQP/train\.tsv.*does not hold it"):
        load("qqp", data_dir=tmp_path)
    monkeypatch.delenv("KERAS_RICHCTX_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="name no directory"):
        load("qqp")


def test_slices_keep_what_belongs_together():
    texts = LabelledTexts(["a", "b", "c"], None, [0, 1, 0], ("no", "yes"))
    assert (texts[1:].first, texts[1:].labels, texts[1:].second) == (["b", "c"], [1, 0], None)
    assert repr(texts) == "<LabelledTexts: 3 texts of no, yes>"
