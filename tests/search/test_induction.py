"""Foreign words of a question in the words of the corpus, over a real index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citator.index.analysis import Analyser
from citator.index.history import TantivyHistory
from citator.index.lexicon import Lexicon
from citator.index.protocol import Snapshot, View, ViewChange
from citator.index.wordspace import WordSpace
from citator.model.document import Document
from citator.search.function_words import FUNCTION_WORDS
from citator.search.induction import Inducer, Induction
from tests.support.corpus import VERSIONS, batch, commit, key_of
from tests.support.word_space import word_space

TEXTS = [
    "the ceiling of skills is five because reviewers read no more than five",
    "raise the ceiling to six and the reviewers skip the last of the skills, five is enough",
    "an expired pack must not stop the server, it has to start",
    "the server refuses to start when the pack is missing, an expired pack is reported",
    "choose the apache license because contributors know it",
    "the license file names apache and says who may choose another",
    "bind the approval to the digest, a version can be moved",
    "an approval names a digest and never a version",
    "hold the lock during the promotion of the pointer",
    "the promotion swaps the pointer under the lock",
    "the window flickers when the scrollbar is dragged",
    "a scrollbar must not move the window",
]
HISTORY = [commit(number, f"change {number}", text) for number, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> WordSpace:
    return word_space(tmp_path_factory)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    yield from built(tmp_path_factory.mktemp("history"), HISTORY)


def built(folder: Path, documents: list[Document]) -> Iterator[Snapshot]:
    history = TantivyHistory(folder / "index", VERSIONS)
    history.build(batch("t1", documents))
    opened = history.open()
    assert opened is not None
    with opened:
        yield opened


@pytest.fixture(scope="module")
def view(snapshot: Snapshot) -> View:
    found = snapshot.view("t1")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def inducer(
    tmp_path_factory: pytest.TempPathFactory, space: WordSpace, snapshot: Snapshot
) -> Inducer:
    return inducer_over(tmp_path_factory.mktemp("lexicon"), space, snapshot)


def inducer_over(folder: Path, space: WordSpace, snapshot: Snapshot) -> Inducer:
    lexicon = Lexicon(folder, space, sorted(FUNCTION_WORDS))
    return Inducer(space, lexicon, snapshot, Analyser().terms)


def best(found: Induction) -> dict[str, str]:
    """The heaviest term of each replaced word."""
    return {one.word: one.terms[0].term for one in found.replaced}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("por qué el techo de skills es cinco", {"techo": "ceil", "cinco": "five"}),
        ("por que elegimos la licencia apache", {"licencia": "licens"}),
        ("warum haben wir die Apache-Lizenz gewählt", {"lizenz": "licens", "gewählt": "choos"}),
        ("pourquoi le serveur ne démarre pas", {"serveur": "server", "démarre": "start"}),
        ("почему мы выбрали лицензию apache", {"лицензию": "licens"}),
        ("为什么我们选择了apache许可证", {}),
        ("サーバーの起動", {}),
    ],
)
def test_content_words_become_words_of_the_corpus(
    question: str, expected: dict[str, str], inducer: Inducer, view: View
) -> None:
    found = inducer.induce(question, view)
    assert found.foreign
    assert expected.items() <= best(found).items()


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("为什么我们选择了apache许可证", "licens"),
        ("为什么过期的包不会阻止服务器启动", "server"),
        ("なぜ期限切れのパックはサーバーの起動を止めないのか", "server"),
        ("ทำไมเซิร์ฟเวอร์ไม่เริ่มทำงาน", "server"),
    ],
)
def test_scripts_without_spaces_are_cut_and_looked_up(
    question: str, term: str, inducer: Inducer, view: View
) -> None:
    found = inducer.induce(question, view)
    assert term in [one.term for one in found.terms]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("por que la licencia", {"por", "que", "la"}),
        ("warum ist die Genehmigung nicht gebunden", {"warum", "ist", "nicht"}),
        ("pourquoi la licence", {"pourquoi", "la"}),
        ("почему мы выбрали", {"почему", "мы"}),
    ],
)
def test_function_words_of_any_language_are_dropped_without_a_list_of_them(
    question: str, words: set[str], inducer: Inducer, view: View
) -> None:
    found = inducer.induce(question, view)
    assert words <= set(found.dropped)


@pytest.mark.parametrize(
    "question",
    [
        "why is the ceiling of skills five",
        "why did we drop the grpc gateway",
        "what was decided about the kubernetes ingress of the server",
        "server",
        "",
        "?!",
        "0.29 --all-features a1b2c3d",
        "egui::containers::frame request_repaint_after ViewportBuilder",
    ],
)
def test_questions_in_the_language_of_the_corpus_are_left_alone(
    question: str, inducer: Inducer, view: View
) -> None:
    assert inducer.induce(question, view) == Induction()


def test_nothing_is_opened_for_a_question_in_the_language_of_the_corpus(
    tmp_path: Path, snapshot: Snapshot, view: View
) -> None:
    closed = WordSpace(tmp_path / "tables")
    inducer = inducer_over(tmp_path / "lexicon", closed, snapshot)
    assert not inducer.induce("why is the ceiling of skills five", view).foreign
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_word_in_the_corpus_does_not_hide_that_its_kin_say_nothing(
    tmp_path: Path, space: WordSpace
) -> None:
    french = [commit(f"fr {n}", "cas", f"par exemple, cas {n}") for n in range(3)]
    for snapshot in built(tmp_path, [*HISTORY, *french]):
        seen = snapshot.view("t1")
        assert seen is not None
        found = inducer_over(tmp_path / "lexicon", space, snapshot).induce("por la licencia", seen)
        assert "por" in found.dropped
        assert best(found) == {"licencia": "licens"}


def test_identifiers_and_known_words_inside_a_foreign_question_are_kept_as_typed(
    inducer: Inducer, view: View
) -> None:
    found = inducer.induce("por qué request_repaint_after y ViewportBuilder usan el lock", view)
    spoken = {one.word for one in found.replaced} | {*found.dropped, *found.unmatched}
    assert spoken.isdisjoint({"request_repaint_after", "viewportbuilder", "lock", "request"})
    assert spoken >= {"por", "qué", "el"}


def test_a_word_that_nothing_resembles_is_said_to_be_unmatched(
    inducer: Inducer, view: View
) -> None:
    found = inducer.induce("por qué la licencia del murciélago", view)
    assert found.unmatched == ("murciélago",)


def test_weights_fall_with_the_cosine_and_repeats_add_up(inducer: Inducer, view: View) -> None:
    found = inducer.induce("por que el techo y la licencia", view)
    (ceiling,) = [one for one in found.replaced if one.word == "techo"]
    weights = [term.weight for term in ceiling.terms]
    assert weights == sorted(weights, reverse=True)
    assert 0.33 < weights[0] <= 0.6
    assert found.terms[0].weight == max(term.weight for term in found.terms)


def test_accents_may_be_left_out(inducer: Inducer, view: View) -> None:
    with_accents = inducer.induce("por qué la promoción", view)
    without = inducer.induce("por que la promocion", view)
    assert best(with_accents) == {"promoción": "promot"}
    assert best(without) == {"promocion": "promot"}


@pytest.mark.parametrize(
    ("question", "word", "term"),
    [
        ("pourquoi l'approbation", "l'approbation", "approv"),
        ("pourquoi l’approbation", "l’approbation", "approv"),
        ("perché l'approvazione", "l'approvazione", "approv"),
    ],
)
def test_an_article_written_onto_a_word_is_not_part_of_it(
    question: str, word: str, term: str, inducer: Inducer, view: View
) -> None:
    assert best(inducer.induce(question, view))[word] == term


def test_a_function_word_written_onto_another_is_dropped(inducer: Inducer, view: View) -> None:
    assert "qu'a" in inducer.induce("qu'a-t-on fait de la licence", view).dropped


def test_words_of_one_letter_are_function_words_too(inducer: Inducer, view: View) -> None:
    found = inducer.induce("почему лицензия а не версия и к серверу", view)
    assert {"а", "не", "и", "к"} <= set(found.dropped)
    assert found.unmatched == ()


def test_composed_and_decomposed_accents_are_one_word(inducer: Inducer, view: View) -> None:
    composed = inducer.induce("por qu\u00e9 la promoci\u00f3n", view)
    assert inducer.induce("por que\u0301 la promocio\u0301n", view) == composed


def test_words_that_only_a_hidden_branch_holds_are_never_used(
    tmp_path: Path, space: WordSpace
) -> None:
    hidden = [commit("h1", "bats", "the bat cave"), commit("h2", "bats", "a bat in the cave")]
    for snapshot in built(tmp_path, [*HISTORY, *hidden]):
        inducer = inducer_over(tmp_path / "lexicon", space, snapshot)
        question = "por qué el murciélago y la licencia"
        all_of_it = snapshot.view("t1")
        seen = snapshot.view("t0", lambda: ViewChange(None, [key_of(one) for one in HISTORY]))
        assert all_of_it is not None
        assert seen is not None
        assert best(inducer.induce(question, all_of_it))["murciélago"] == "bat"
        found = inducer.induce(question, seen)
        assert found.unmatched == ("murciélago",)
        assert best(found)["licencia"] == "licens"


def test_the_first_question_fills_the_lexicon_and_the_second_finds_it(
    tmp_path: Path, space: WordSpace, snapshot: Snapshot, view: View
) -> None:
    first = inducer_over(tmp_path, space, snapshot).induce("por qué el techo", view)
    (rows,) = tmp_path.glob("*.rows")
    size = rows.stat().st_size
    second = inducer_over(tmp_path, space, snapshot).induce("por qué el techo", view)
    assert first == second
    assert first.words_left == 0
    assert rows.stat().st_size == size


def test_a_very_long_question_is_read_to_a_bound(inducer: Inducer, view: View) -> None:
    found = inducer.induce("por qué el techo " + "palabras distintas " * 500 + " licencia", view)
    assert "techo" in best(found)
    assert "licencia" not in best(found)
