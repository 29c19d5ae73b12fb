#!/usr/bin/env bash
# Ask all programs again, in a temporary folder of its own, and write their answers into a folder.
#
#     findings/answers/answers.sh svmlib/book/elsewhere
#
# It takes about fifteen minutes. It needs Python 3.11, Java 17, Node.js, R and the Debian packages
# libsvm-tools, liblinear-tools, r-cran-e1071 and r-cran-kernlab. The data in that folder are read,
# not made.
set -euo pipefail
folder=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 \
  scikit-learn-intelex==2026.2.0 opencv-contrib-python-headless==4.14.0.94 dlib-bin==20.0.1.post1 \
  mlpack==4.8.0 vowpalwabbit==9.11.9 snapml==1.17.2 skglm==0.5 liblinear-official==2.50.0 \
  pyspark==4.3.0 python-weka-wrapper3==0.3.3
venv/bin/python -W ignore "$here/python_programs.py" "$folder"
python3 -m venv older
older/bin/pip install --quiet numpy==1.26.4 scipy==1.11.4 scikit-learn==1.3.2 thundersvm-cpu==0.3.3
older/bin/python -W ignore "$here/python_programs.py" "$folder" thundersvm
npm install --silent svm@0.1.1 ml-svm@2.1.2
node "$here/js_programs.js" "$folder"
Rscript "$here/r_programs.R" "$folder"
PYTHON="$work/venv/bin/python" "$here/libsvm_tools.sh" "$folder"
