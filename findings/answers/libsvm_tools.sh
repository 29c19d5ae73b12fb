#!/usr/bin/env bash
# Ask the command-line tools of LIBSVM and LIBLINEAR for their model files on the book's data.
#
#     findings/answers/libsvm_tools.sh svmlib/book/elsewhere
#
# Debian's packages libsvm-tools and liblinear-tools, and a Python with what svmlib needs (PYTHON, or
# else python3). The files are stored as the tools write them; what else an answer says is in the JSON
# beside them.
set -euo pipefail
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in noisy penguins; do
  tail -n +2 "$folder/$name.csv" | awk -F, '{ print $3 " 1:" $1 " 2:" $2 }' >"$work/$name"
done
declare -A warned
train() { # data, file, options: svm-train warns on stderr
  svm-train "${@:3}" "$work/$1" "$folder/libsvm-$1-$2.model" 2>"$work/said"
  warned[$1-$2]=$(sed -n 's/^WARNING: //p' "$work/said")
}
train noisy linear -q -t 0 -c 1
train penguins linear -q -t 0 -c 1000
train noisy small -q -t 0 -c 0.01
train noisy rbf -t 2 -g 0.5 -c 1 >"$folder/libsvm-noisy-rbf.txt"
# Debian's program reads -g and -c in single precision, and the file shows it
svm-train -q -g 0.1 -c 0.1 "$work/noisy" "$folder/libsvm-noisy-tenth.model"
# An SVC of scikit-learn, written by write_libsvm, and labels of rows between the training rows
PYTHONPATH="$folder/../../.." "${PYTHON:-python3}" - "$work" <<'PY'
import sys
from pathlib import Path

import numpy as np
from sklearn.svm import SVC
from svmlib.book import elsewhere
from svmlib.model_files import write_libsvm

work = Path(sys.argv[1])
X, y = elsewhere.load("noisy")
write_libsvm(SVC(C=1.0, gamma=0.5).fit(X, y.astype(int)), work / "converted.model")
fresh = ((X + np.roll(X, 1, axis=0)) / 2).tolist()
rows = ["0 " + " ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1)) for x in fresh]
(work / "fresh").write_text("\n".join(rows) + "\n")
PY
svm-predict -q "$work/fresh" "$work/converted.model" "$folder/svm-predict-fresh.txt"
for solver in 1 2 3; do
  for question in "noisy 1 noisy" "penguins 1000 penguins" "noisy 0.01 small"; do
    read -r data C name <<<"$question"
    liblinear-train -s $solver -B 1 -c "$C" "$work/$data" "$folder/liblinear-$solver-$name.model" \
      >"$work/said" || true
    warned[$solver-$name]=$(sed -n 's/^WARNING: //p' "$work/said")
  done
done
# A smaller tolerance than the default of 0.01 for -s 2. These are not answers of the table
for e in 1e-4 1e-8; do
  liblinear-train -q -s 2 -B 1 -c 1000 -e $e "$work/penguins" "$folder/liblinear-2-penguins-$e.model"
done
version() { dpkg-query --show --showformat '${Version}' "$1"; }
made="29 November 2026, $(uname -s) $(uname -m)"
record() { # file, program, package, answers
  cat >"$folder/$1" <<JSON
{
 "program": "$2",
 "version": "$(version "$3")",
 "source": "Debian 12, $3",
 "script": "findings/answers/libsvm_tools.sh",
 "made": "$made",
 "C_is": "-c",
 "positive": "first seen, or +1",
 "answers": [$4]
}
JSON
}
record libsvm.json "LIBSVM" libsvm-tools "
  {\"data\": \"noisy\", \"C\": 1, \"file\": \"libsvm-noisy-linear.model\",
   \"warned\": \"${warned[noisy-linear]}\"},
  {\"data\": \"penguins\", \"C\": 1000, \"file\": \"libsvm-penguins-linear.model\",
   \"warned\": \"${warned[penguins-linear]}\"},
  {\"data\": \"noisy\", \"C\": 1, \"gamma\": 0.5, \"file\": \"libsvm-noisy-rbf.model\",
   \"warned\": \"${warned[noisy-rbf]}\"},
  {\"data\": \"noisy\", \"C\": 0.01, \"file\": \"libsvm-noisy-small.model\",
   \"warned\": \"${warned[noisy-small]}\"}"
for solver in 1 2 3; do
  record "liblinear_$solver.json" "LIBLINEAR -s $solver" liblinear-tools "
  {\"data\": \"noisy\", \"C\": 1, \"file\": \"liblinear-$solver-noisy.model\",
   \"warned\": \"${warned[$solver-noisy]}\"},
  {\"data\": \"penguins\", \"C\": 1000, \"file\": \"liblinear-$solver-penguins.model\",
   \"warned\": \"${warned[$solver-penguins]}\"},
  {\"data\": \"noisy\", \"C\": 0.01, \"file\": \"liblinear-$solver-small.model\",
   \"warned\": \"${warned[$solver-small]}\"}"
done
