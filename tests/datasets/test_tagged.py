import pytest

from keras_richctx.datasets import TaggedSentences, load, read_columns


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


COUNTS = {"wnut17": {"train": 3394, "validation": 1009, "test": 1287}, "ud-english-pos": {"validation": 2002, "test": 2077}}


@pytest.mark.parametrize("name", COUNTS)
def test_official_files_are_read_whole(data_dir, name):
    for split, count in COUNTS[name].items():
        sentences = load(name, split, data_dir)
        assert len(sentences) == count
        assert len(sentences.names) == {"wnut17": 13, "ud-english-pos": 17}[name]


def test_known_sentences_of_official_files(data_dir):
    words, tags = load("wnut17", "validation", data_dir)[1]
    assert (words[6:9], tags[6:9]) == (["Redondo", "Beach", "Blvd"], ["B-location", "I-location", "I-location"])
    words, tags = load("ud-english-pos", "validation", data_dir)[0]
    assert (words[:3], tags[:3]) == (["From", "the", "AP"], ["ADP", "DET", "PROPN"])


def test_conll_2003(tmp_path):
    write(tmp_path / "conll2003" / "eng.testa", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\nPeter NNP I-NP I-PER\n")
    sentences = load("conll2003", "validation", tmp_path)
    assert list(zip(sentences.words, sentences.tags)) == [(["EU", "rejects"], ["I-ORG", "O"]), (["Peter"], ["I-PER"])]


def test_persuasive_essays(tmp_path):
    lines = ["1\tIt\t_\t_\tO", "2\thelps\t_\t_\tB-Premise:-1:Support", "3\tall\t_\t_\tI-Premise:-1:Support", "", "1\tWe\t_\t_\tB-Claim:For", ""]
    write(tmp_path / "persuasive_essays" / "dev.dat.abs", "\n".join(lines))
    sentences = load("persuasive-essays", "validation", tmp_path)
    assert sentences.tags == [["O", "B-Premise", "I-Premise"], ["B-Claim"]]
    assert sentences.words == [["It", "helps", "all"], ["We"]]


def test_conll_u_comments_and_words_that_are_none(tmp_path):
    path = write(tmp_path / "a.conllu", "# text = don't\n1-2\tdon't\t_\t_\n1\tdo\tdo\tAUX\n2\tn't\tnot\tPART\n2.1\tgo\tgo\tVERB\n\n# end\n1\t#\t#\tSYM\n")
    assert read_columns(path, word=1, tag=3, separator="\t", conllu=True).words == [["do", "n't"], ["#"]]


def test_line_ends_of_windows_and_unicode_and_blank_lines_with_spaces(tmp_path):
    path = write(tmp_path / "a.txt", "\ufeffa\tO\r\nb\u2028c\tO\r\n \t\r\n\r\nd\tB-x\r\n".encode())
    assert read_columns(path, separator="\t").words == [["a", "b\u2028c"], ["d"]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("a\tO\nb\n", r"bad\.txt, line 2: 1 column, where a word in column 0 and a tag in column -1 are needed\. Received: 'b'"),
        ("a\tO\nb\t\n", r"line 2: 2 columns"),
        ("a\tO\n\tO\n", r"line 2: 2 columns"),
        (b"a\tO\n\xff\tO\n", r"line 2: byte 0xff, the 1th of the line, is not UTF-8"),
        ("", "is empty"),
        ("\n\n", "holds no sentence"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_columns(write(tmp_path / "bad.txt", text), separator="\t")


def test_a_file_that_is_not_there_says_what_to_get_and_where_to_put_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"clips\.uantwerpen\.be.*put it at conll2003/eng\.train"):
        load("conll2003", data_dir=tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no such file"):
        read_columns(tmp_path / "no.txt")


def test_words_and_tags_that_do_not_correspond_are_refused():
    with pytest.raises(ValueError, match="2 words and 1 tags of sentence 1"):
        TaggedSentences([["a"], ["b", "c"]], [["O"], ["O"]])
    assert len(TaggedSentences([["a"], ["b"]], [["O"], ["B-x"]])[1:]) == 1
