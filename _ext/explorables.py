"""Only a page with a figure to take hold of loads the script and the style for it."""


def drop_where_unused(app, pagename, templatename, context, doctree):
    if 'class="explorable"' not in context.get("body", ""):
        for files in (context["script_files"], context["css_files"]):
            files[:] = [
                file for file in files if "explorable" not in str(getattr(file, "filename", ""))
            ]


def setup(app):
    # After Jupyter Book has added what lies in _static.
    app.connect("html-page-context", drop_where_unused, priority=910)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
