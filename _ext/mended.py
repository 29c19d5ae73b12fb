"""Correct output of extensions that HTML forbids or that screen readers misread.

MyST-NB gives every line that opens code the label "Toggle hidden content", which differs from the
visible words, and paragraphs, which a summary may not contain; sphinx-design gives a label an
attribute that is only for its button.
"""

import re

SUMMARY = re.compile(r'<summary aria-label="Toggle hidden content">(.*?)</summary>', re.DOTALL)
PARAGRAPH = re.compile(r"<p( class=\"[^\"]*\")>(.*?)</p>", re.DOTALL)
LABEL = re.compile(r'(<label) aria-controls="[^"]*"(?= class="sd-tab-label")')


def mend(app, pagename, templatename, context, doctree):
    def in_spans(summary):
        return PARAGRAPH.sub(r"<span\1>\2</span>", f"<summary>{summary[1]}</summary>")

    context["body"] = LABEL.sub(r"\1", SUMMARY.sub(in_spans, context.get("body", "")))


def setup(app):
    app.connect("html-page-context", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
