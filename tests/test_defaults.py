"""Defaults are those that the documentation gives, and records stay as they are."""

import dataclasses
import importlib
import inspect
import pkgutil
from ast import literal_eval
from math import inf

import pytest
from numpydoc.docscrape import NumpyDocString

import svmlib
from svmlib.distributed import solve_kernel, solve_linear

MODULES = [
    importlib.import_module(f"svmlib.{module.name}")
    for module in pkgutil.iter_modules(svmlib.__path__)
    if not module.ispkg
]
OWN = [
    thing
    for module in MODULES
    for thing in vars(module).values()
    if getattr(thing, "__module__", None) == module.__name__
    and (inspect.isfunction(thing) or inspect.isclass(thing))
]


def documented():
    for thing in OWN:
        told = NumpyDocString(inspect.getdoc(thing) or "")["Parameters"]
        taken = inspect.signature(thing).parameters if told else {}
        for name, types in ((n.strip(), p.type) for p in told for n in p.name.split(",")):
            default = taken[name].default
            if default is not inspect.Parameter.empty and types:
                yield pytest.param(types, default, id=f"{thing.__name__}-{name}")


@pytest.mark.parametrize(("types", "default"), [*documented()])
def test_a_default_is_the_one_documented(types, default):
    if "optional" in types:
        assert default in (None, inf)
    else:
        said = types.split("default ")[1]
        said = said if "(" in said else said.replace(",", "")  # 100,000
        assert literal_eval(said) == default


def test_records_cannot_be_changed_and_arrays_are_not_compared():
    """Equality of two arrays is an array, so only records of plain numbers compare."""
    records = [*filter(dataclasses.is_dataclass, OWN)]
    assert all(record.__dataclass_params__.frozen for record in records)
    traces = [f for r in records for f in dataclasses.fields(r) if f.name == "trace"]
    assert not any(field.repr for field in traces if "Pass" in field.type), "it is long"
    numbers = {record.__name__ for record in records if record.__dataclass_params__.eq}
    assert numbers == {"Certificate", "Linear", "Polynomial", "RBF", "Sigmoid"}


@pytest.mark.parametrize("both", [(solve_linear, solve_kernel), (svmlib.SVC, svmlib.SVCCV)])
def test_what_two_have_in_common_has_the_same_default(both):
    one, other = (inspect.signature(thing).parameters for thing in both)
    for name in one.keys() & other.keys():
        assert one[name].default == other[name].default
