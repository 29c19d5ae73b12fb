#!/usr/bin/env bash
# Ask the command-line tools of LIBSVM and LIBLINEAR for their model files on the book's data.
#
#     findings/answers/libsvm_tools.sh svmlib/book/elsewhere
#
# Debian's packages libsvm-tools and liblinear-tools. The files are stored as the tools write them;
# what else an answer says is in the JSON beside them.
set -euo pipefail
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in noisy penguins; do
  tail -n +2 "$folder/$name.csv" | awk -F, '{ print $3 " 1:" $1 " 2:" $2 }' >"$work/$name"
done
svm-train -q -t 0 -c 1 "$work/noisy" "$folder/libsvm-noisy-linear.model"
svm-train -q -t 0 -c 1000 "$work/penguins" "$folder/libsvm-penguins-linear.model"
svm-train -q -t 2 -g 0.5 -c 1 "$work/noisy" "$folder/libsvm-noisy-rbf.model"
for solver in 1 2 3; do
  liblinear-train -q -s $solver -B 1 -c 1 "$work/noisy" "$folder/liblinear-$solver-noisy.model" || true
  liblinear-train -q -s $solver -B 1 -c 1000 "$work/penguins" "$folder/liblinear-$solver-penguins.model" || true
done
version() { dpkg-query --show --showformat '${Version}' "$1"; }
made="27 November 2026, $(uname -s) $(uname -m)"
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
record libsvm.json "LIBSVM svm-train" libsvm-tools '
  {"data": "noisy", "C": 1, "file": "libsvm-noisy-linear.model"},
  {"data": "penguins", "C": 1000, "file": "libsvm-penguins-linear.model"},
  {"data": "noisy", "C": 1, "gamma": 0.5, "file": "libsvm-noisy-rbf.model"}'
for solver in 1 2 3; do
  record "liblinear_$solver.json" "LIBLINEAR train -s $solver" liblinear-tools "
  {\"data\": \"noisy\", \"C\": 1, \"file\": \"liblinear-$solver-noisy.model\"},
  {\"data\": \"penguins\", \"C\": 1000, \"file\": \"liblinear-$solver-penguins.model\"}"
done
