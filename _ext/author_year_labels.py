"""Label the bibliography as the text cites it: author and year.

The label is made by the template that sphinxcontrib-bibtex sets in the text, so the two cannot
differ.
"""

from types import SimpleNamespace

from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.template import join, year


class AuthorYearLabels(BaseLabelStyle):
    """Labels such as "Boser et al., 1992"."""

    def format_labels(self, sorted_entries):
        """Yield the label of each entry."""
        style = SimpleNamespace(person=PersonStyle())
        label = join(sep=", ")[style.person.author_or_editor_or_title(full=False), year]
        for entry in sorted_entries:
            yield label.format_data({"entry": entry, "style": style}).render_as("text")


class AuthorYearStyle(PlainStyle):
    """The plain style with author and year as labels."""

    default_label_style = AuthorYearLabels


def setup(app):
    register_plugin("pybtex.style.formatting", "author_year", AuthorYearStyle)
    return {"parallel_read_safe": True}
