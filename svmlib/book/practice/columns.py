"""What the columns of a table are, and one pipeline of steps for them.

`look` says what it sees in each column and which role it proposes; `prepared` makes of the roles a
transformer that learns from the training rows alone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler, TargetEncoder

__all__ = ["ROLES", "Column", "look", "prepared"]

ROLES = ("number", "log", "as it is", "around P", "date", "word", "many words", "text", "left out")
CYCLES = {  # names of columns that go round, the largest value, and the period
    r"hours?|hr": (24, 24),
    r"months?|mnth|mon": (12, 12),
    r"weekday|dow|wday|day_?of_?week": (7, 7),
    r"minutes?|mins?": (60, 60),
    r"direction|degrees?|angle|bearing|wind_?dir": (360, 360),
    r"yday|day_?of_?year|doy": (366, 365.25),
}
MOST_LISTED = 60  # columns, in a report
MANY = 30  # values; more of them make a word one of many
OUTLIER_IQRS = 10.0  # interquartile ranges from the quartiles, beyond which a value is an outlier
NEIGHBOURS = 4000  # rows; with more, a hole gets the median and not the mean of its neighbours


@dataclass(frozen=True)
class Column:
    """What `look` saw in a column, and the role that it proposes.

    >>> print(Column("mass", "number", "2700 to 6300", 2, ("a note",)))
    mass: number, 2700 to 6300, 2 holes; a note
    """

    name: str
    role: str
    values: str
    holes: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        holes = f", {self.holes} hole{'s' * (self.holes != 1)}" * (self.holes > 0)
        return "; ".join([f"{self.name}: {self.role}, {self.values}{holes}", *self.notes])


def frame(table: Any) -> Any:
    """Return the table as a pandas data frame with names of columns that are text, all different.

    >>> list(frame(np.zeros((2, 2))))
    ['x0', 'x1']
    """
    try:
        import pandas
    except ImportError:
        message = 'svmlib.book.practice needs pandas: pip install "svmlib[book]"'
        raise ImportError(message) from None
    if not isinstance(table, pandas.DataFrame):
        values = np.asarray(table)
        if values.ndim != 2:
            raise ValueError(f"table must have rows and columns, got {values.ndim} dimension(s)")
        table = pandas.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    table = table.rename(columns=str).infer_objects()
    if twice := sorted({name for name in table if list(table).count(name) > 1}):
        raise ValueError(f"two columns are called {twice[0]!r}: rename one of them")
    if not len(table):
        raise ValueError("the table has no rows")
    return table


def as_numbers(table: Any) -> NDArray[np.float64]:
    """Return floats; what is not a finite number becomes a hole (NaN).

    >>> as_numbers({"age": ["31", "n/a"]}).ravel()
    array([31., nan])
    """
    import pandas

    table = pandas.DataFrame(table)
    columns = [
        pandas.to_numeric(table[name].astype(object), errors="coerce").to_numpy(
            float, na_value=np.nan
        )
        for name in table
    ]
    values = np.column_stack(columns)
    return np.where(np.isfinite(values), values, np.nan)


def as_words(table: Any) -> NDArray[Any]:
    """Return text; a hole is a word of its own."""
    import pandas

    table = pandas.DataFrame(table).astype(object)
    return np.asarray(table.where(table.notna(), "(hole)").astype(str).to_numpy(object))


def as_text(column: Any) -> NDArray[Any]:
    """Return the texts of one column, a hole as an empty one."""
    words = as_words(column)[:, 0]
    return np.where(words == "(hole)", "", words)


class OutlierClipper(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Move outliers to the edge, and take logarithms if asked to.

    The edges are ten interquartile ranges beyond the quartiles of the training rows. A logarithm
    is that of x plus the smallest positive x of the training rows; a negative x becomes a hole.

    >>> column = np.array([[1.0], [2.0], [3.0], [4.0], [1e6]])
    >>> OutlierClipper().fit_transform(column).ravel()
    array([ 1.,  2.,  3.,  4., 24.])
    """

    def __init__(self, log: bool = False) -> None:
        self.log = log

    def fit(self, X: Any, y: Any = None) -> OutlierClipper:
        """Learn the edges."""
        X = np.asarray(X, dtype=float)
        positive = np.where(X > 0, X, np.nan)
        with np.errstate(all="ignore"):
            least = np.array([np.nanmin(c) if np.isfinite(c).any() else 1.0 for c in positive.T])
        self.least_ = least
        X = self._logarithm(X)
        self.edges_ = np.array([self.edges(column) for column in X.T]).T
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Move what lies beyond the edges to them."""
        return np.asarray(np.clip(self._logarithm(np.asarray(X, dtype=float)), *self.edges_))

    @staticmethod
    def edges(column: NDArray[np.float64]) -> tuple[float, float]:
        """Return the two values beyond which a number is an outlier.

        >>> OutlierClipper.edges(np.array([1.0, 2.0, 3.0, np.nan]))
        (-8.5, 12.5)
        """
        low, high = _quartiles(column)
        distance = OUTLIER_IQRS * (high - low) if high > low else np.inf
        return float(low - distance), float(high + distance)

    def _logarithm(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.log:
            return X
        return np.asarray(np.log(np.where(X >= 0, X, np.nan) + self.least_))


def _quartiles(column: NDArray[np.float64]) -> NDArray[np.float64]:
    known = column[np.isfinite(column)]
    return np.quantile(known, [0.25, 0.75]) if known.size else np.zeros(2)


def circle(X: Any, period: float) -> NDArray[np.float64]:
    """Return cosine and sine of what goes round, with the standard deviation of a scaled column.

    >>> circle([[0.0], [6.0]], 24).round(2)
    array([[1.41, 0.  ],
           [0.  , 1.41]])
    """
    angle = 2 * np.pi * as_numbers(X) / period
    both = np.sqrt(2) * np.column_stack((np.cos(angle), np.sin(angle)))
    return np.asarray(np.nan_to_num(both))  # a hole is in the middle of the circle


def dates(values: Any) -> NDArray[Any]:
    """Return written dates as dates, or say which one is none.

    >>> dates(["2026-11-27", "2026-11-28 12:00"])[0]
    np.datetime64('2026-11-27T00:00:00.000000')
    """
    import pandas

    texts = pandas.Series(values).astype(str)
    parsed = pandas.to_datetime(texts, errors="coerce", format="ISO8601")
    if parsed.isna().any():
        strange = np.asarray(values)[parsed.isna().to_numpy()][0]
        raise ValueError(f"time must be numbers or dates such as 2026-11-27, got {strange!r}")
    return np.asarray(parsed.to_numpy())


def calendar(X: Any) -> NDArray[np.float64]:
    """Return days since 1970, and the places in year, week and day, as circles."""
    import pandas

    parts = []
    for name in (table := pandas.DataFrame(X)):
        date = pandas.to_datetime(table[name], errors="coerce", format="ISO8601", utc=True)
        start = pandas.Timestamp("1970-01-01", tz="UTC")
        days = ((date - start) / pandas.Timedelta(days=1)).to_numpy(float)[:, None]
        parts += [days, circle(days, 365.25), circle(days, 7), circle(days, 1)]
    return np.column_stack(parts)


def look(table: Any, roles: dict[str, str] | None = None) -> list[Column]:
    r"""Look at every column: its smallest and largest value, its holes, and what it might be.

    Parameters
    ----------
    table : pandas.DataFrame or array_like of shape (n, d)
        The columns that the machine may use, without the target.
    roles : dict, optional
        Roles that you know better, by name of the column; see `ROLES` ("around 24" for P = 24).

    Returns
    -------
    list of Column
        One for each column; printed, each is a line.

    Examples
    --------
    >>> import pandas
    >>> table = pandas.DataFrame({"hour": range(24), "price": [2.0**k for k in range(24)]})
    >>> print(*look(table), sep="\n")
    hour: around 24, 0 to 23; goes round: two columns, its cosine and sine
    price: log, 1 to 8.38861e+06; a long tail: its logarithm
    """
    table, roles = frame(table), dict(roles or {})
    for name, role in roles.items():
        if name not in table:
            raise ValueError(f"roles names {name!r}, but the table has no such column")
        if role not in ROLES and not re.fullmatch(r"around [\d.]+", role):
            raise ValueError(f"the role of {name!r} must be one of {ROLES}, got {role!r}")
    return [_seen(name, table[name], roles.get(name)) for name in table]


def _seen(name: str, column: Any, given: str | None) -> Column:
    """Describe one column."""
    holes, known = int(column.isna().sum()), column[column.notna()]
    numbers = as_numbers(known.to_frame())[:, 0] if len(known) else np.empty(0)
    finite = numbers[np.isfinite(numbers)]
    distinct = known.astype(str).nunique()
    if distinct + (holes > 0) < 2:
        return Column(name, given or "left out", f"{distinct} value", holes, ("says nothing",))
    if column.dtype.kind == "M" or (len(finite) < 0.9 * len(known) and _dates(known)):
        values = f"{known.astype(str).min()} to {known.astype(str).max()}"
        note = "a date: days, and its place in year, week and day"
        return Column(name, given or "date", values, holes, (note,))
    if len(finite) < 0.9 * len(known):
        role, note = _words(known.astype(str))
        return Column(name, given or role, f"{distinct} values", holes, (note,) * bool(note))
    role, notes = _numbers(name, finite, distinct == len(column))
    if strange := len(known) - len(finite):
        notes += (f"{strange} that are no finite numbers become holes",)
    return Column(name, given or role, f"{finite.min():g} to {finite.max():g}", holes, notes)


def _dates(known: Any) -> bool:
    import pandas

    dates = pandas.to_datetime(known.astype(str), errors="coerce", format="ISO8601", utc=True)
    return bool(dates.notna().mean() > 0.9)


def _words(known: Any) -> tuple[str, str]:
    """Propose a role for a column of words."""
    distinct, length = known.nunique(), known.str.count(" ").mean() + 1
    if length >= 4 and distinct > len(known) / 2:
        return "text", "a text: its words, weighed"
    if distinct > 0.9 * len(known) and distinct > MANY:
        return "left out", "a name for each row"
    if distinct > MANY:
        return "many words", "the mean target of its other rows"
    return "word", ""


def _numbers(name: str, x: NDArray[np.float64], all_differ: bool) -> tuple[str, tuple[str, ...]]:
    """Propose a role for a column of numbers."""
    whole = bool(np.all(x == np.round(x)))
    step = np.diff(x)
    if (
        all_differ
        and whole
        and len(x) > MANY
        and (np.all(step == 1) or re.search(r"\bid$|_id$", name, re.I))
    ):
        return "left out", ("a number for each row",)
    for words, (largest, period) in CYCLES.items():
        if (
            re.fullmatch(rf"(.*[_ .])?({words})", name, re.I)
            and x.min() >= 0
            and x.max() <= largest
        ):
            return f"around {period:g}", ("goes round: two columns, its cosine and sine",)
    low, high = np.quantile(x, [0.25, 0.75])
    above, below = np.max(x) - high, low - np.min(x)
    positive = x[x > 0]
    if x.min() >= 0 and high > 0 and len(positive) > len(x) / 2 and above > 5 * (high - low):
        logarithm = np.log(x + positive.min())
        q = np.quantile(logarithm, [0.25, 0.75])
        if logarithm.max() - q[1] <= OUTLIER_IQRS * max(q[1] - q[0], 1e-9):
            return "log", ("a long tail: its logarithm",)
    if high > low and max(above, below) > OUTLIER_IQRS * (high - low):
        far = x.max() if above > below else x.min()
        advice = "if it is an error or a code, make it a hole (NaN) and call again"
        return "number", (f"{far:g} is wild, and is moved to the edge: {advice}",)
    if whole and len(np.unique(x)) <= 6 and np.unique(x).size > 2:
        return "number", ('few whole numbers: if they are codes, say role "word"',)
    return "number", ()


def listed(columns: list[Column]) -> list[str]:
    """Return a line for each column; of more than 60 only those with holes or a note, at most 60.

    >>> listed([Column(f"x{j}", "number", "0 to 1", 0) for j in range(100)])
    ['and 100 others: 100 number']
    """
    shown = list(columns)
    if len(shown) > MOST_LISTED:
        shown = [c for c in columns if c.holes or c.notes][:MOST_LISTED]
    names, roles = {c.name for c in shown}, Counter[str]()
    roles.update(c.role for c in columns if c.name not in names)
    others = ", ".join(f"{n} {role}" for role, n in roles.items())
    return [str(c) for c in shown] + [f"and {roles.total()} others: {others}"] * bool(roles)


def prepared(columns: list[Column], n: int = 0, seed: int = 0) -> ColumnTransformer:
    """Make one transformer of the roles: fill, code and scale, learnt from training rows only.

    Parameters
    ----------
    columns : list of Column
        From `look`.
    n : int, default 0
        The number of rows; with more than 4000 a hole gets the median of its column.
    seed : int, default 0
        For the cuts by which `sklearn.preprocessing.TargetEncoder` takes means from other rows.

    Examples
    --------
    >>> import pandas
    >>> table = pandas.DataFrame({"mass": [3.0, 4.0, np.nan, 5.0], "sex": list("fmmf")})
    >>> prepared(look(table)).fit_transform(table).shape  # mass, mass missing, two sexes
    (4, 4)
    """
    by_role: dict[str, list[str]] = {}
    for column in columns:
        by_role.setdefault(column.role, []).append(column.name)
    filler: Any = KNNImputer(add_indicator=True, keep_empty_features=True)
    if n > NEIGHBOURS:
        filler = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    means = TargetEncoder(cv=KFold(5, shuffle=True, random_state=seed))
    recipes: dict[str, list[Any]] = {
        "as it is": [FunctionTransformer(as_numbers), filler],
        "date": [FunctionTransformer(calendar), StandardScaler(), filler],
        "word": [FunctionTransformer(as_words), OneHotEncoder(handle_unknown="ignore")],
        "many words": [FunctionTransformer(as_words), means, StandardScaler()],
    }
    names = {role: by_role[role] for role in recipes if role in by_role}
    steps = [(role, make_pipeline(*recipes[role]), members) for role, members in names.items()]
    if measured := by_role.get("number", []) + by_role.get("log", []):
        steps.append(("measured", _measured(by_role, filler), measured))
    for name in by_role.get("text", []):
        read = make_pipeline(FunctionTransformer(as_text), TfidfVectorizer(sublinear_tf=True))
        steps.append((f"text {name}", read, [name]))
    for role, members in by_role.items():
        if role.startswith("around "):
            turn = FunctionTransformer(circle, kw_args={"period": float(role[7:])})
            steps += [(f"{name} {role}", turn, [name]) for name in members]
    if not steps:
        raise ValueError("every column is left out: name a role for one in roles")
    return ColumnTransformer(steps)


def _measured(by_role: dict[str, list[str]], filler: Any) -> Any:
    """Clip and scale all measurements, then fill: from rows that are alike in the others."""
    plain, log = len(by_role.get("number", [])), len(by_role.get("log", []))
    parts = {"plain": slice(0, plain), "log": slice(plain, plain + log)}
    clip = ColumnTransformer(
        [
            (name, OutlierClipper(log=name == "log"), part)
            for name, part in parts.items()
            if part.start < part.stop
        ]
    )
    return make_pipeline(FunctionTransformer(as_numbers), clip, StandardScaler(), filler)
