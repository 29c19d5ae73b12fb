"""The lecturer's page says what the chapters say: minutes, stars, and sections that exist."""

import re

import lecture_plan

PAGE = lecture_plan.PAGE.read_text(encoding="utf-8")


def test_minutes_stars_and_what_is_alive_are_those_of_the_chapters():
    assert lecture_plan.counted(PAGE) == PAGE, "run python tools/lecture_plan.py"


def test_a_lecture_keeps_its_time():
    lectures = re.findall(r"- \*\*Tell\*\*, (\d+) minutes", PAGE)
    assert len(lectures) == 2
    assert max(map(int, lectures)) <= 90


def test_each_unit_has_for_the_class_an_exercise_with_one_star_or_a_question():
    lines = re.findall(r"^- \*\*Solve\*\* in class: ([^;\n]+)", PAGE, flags=re.MULTILINE)
    assert len(lines) == 18 + 2
    assert all(re.match(r"question \d|.+?`ex-[\w-]+` ★(?!★)", line) for line in lines)


def test_a_plan_keeps_the_order_and_names_each_unit_by_its_number():
    assert all(shown == unit for shown, unit in re.findall(r"`(\d+) <unit-(\d+)>`", PAGE))
    rows = [row.split("|")[2:5] for row in re.findall(r"^\| \d+ \|.+\|$", PAGE, flags=re.MULTILINE)]
    for plan in zip(*rows, strict=True):
        order = [int(unit) for week in plan for unit in re.findall(r"<unit-(\d+)>", week)]
        assert order == sorted(set(order))


def test_what_may_be_left_out_is_cited_by_nobody_after_it():
    earlier = [units for units, *_ in lecture_plan.cited(PAGE)]
    assert not {5, 6, 12} & set().union(*earlier[6:])
    assert set().union(*earlier[4:6]) <= {1, 2, 3, 4, 5}, "they may come after duality"


def cited_by(chapter, section, until=None):
    """Return the sections that a section cites, or its part before a heading."""
    cells = lecture_plan.sections()
    text = "\n".join(c.source for c in cells[chapter, section] if c.cell_type == "markdown")
    text, heading, _ = text.partition(until) if until else (text, True, "")
    assert heading, "it has another name now"
    home = lecture_plan.homes(cells)
    return {home[label] for label in lecture_plan.references(text)}


def test_a_part_of_a_unit_that_comes_before_another_cites_nothing_of_it():
    general = cited_by(
        "04_lagrange_duality",
        "lagrange-duality-for-every-problem",
        until="### The dual of the support vector machine",
    )
    assert general
    assert ("04_lagrange_duality", "a-lower-bound-by-adding-up-constraints") not in general
    assert ("04_lagrange_duality", "duality-gap-and-kkt-conditions-of-the-svm") not in general
    for section in (
        "coordinate-descent-one-multiplier-at-a-time",
        "low-rank-approximation-a-few-features-for-a-kernel",
    ):
        cited = cited_by("13_many_samples", section)
        assert cited
        assert not any(chapter == "12_newton" for chapter, _ in cited)


def test_a_told_proof_rests_on_what_is_told_believed_or_on_the_board():
    for lecture in PAGE[PAGE.index("## Two lectures") : PAGE.index("## Units")].split("\n\n**")[1:]:
        line = lecture_plan.READ.search(lecture)
        text = "\n".join(cell.source for cell in lecture_plan.told_in(line))
        known = {"".join(label) for label in lecture_plan.LABEL.findall(text)}
        proofs = re.findall(r"^([`:]{3,})\{prf:proof\}(.+?)^\1$", text, re.M | re.S)
        assert proofs
        rests_on = set(re.findall(r"\{prf:ref\}`([\w-]+)`", "".join(proof for _, proof in proofs)))
        assert not rests_on - known - lecture_plan.references(lecture)
