"""The form of a notebook, stored or handed out: the same metadata, and executions in order."""

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def count_executions(notebook):
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    for count, cell in enumerate(cells, 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
