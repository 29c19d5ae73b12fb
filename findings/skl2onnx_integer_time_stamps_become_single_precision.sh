#!/usr/bin/env bash
# One would guess: a graph that takes an integer column of a data frame as int64 scales it as the
#   pipeline does, because integers are exact and the scaler comes first.
# True: the first node casts to single precision, whose neighbours near 1.8e9 are 128 apart, and only
#   then the scaler subtracts the mean. With time stamps in seconds labels change, without a warning.
#   With the first time stamp subtracted before fitting none does.
# Seen with: skl2onnx 1.20.0, onnxruntime 1.32.0, scikit-learn 1.9.1, Python 3.11, Linux x86-64,
#   27 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1 \
  onnx==1.23.2 onnxruntime==1.32.0 skl2onnx==1.20.0
venv/bin/python -W ignore - <<'PY'
import numpy as np
import onnxruntime
import pandas as pd
import skl2onnx
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

random = np.random.RandomState(0)
y = np.where(random.uniform(size=300) < 0.5, -1, 1)
seconds = np.rint(100 * y + 60 * random.standard_normal(300)).astype(np.int64)
counts = random.poisson(20, 300).astype(np.int64)
print("skl2onnx", skl2onnx.__version__)
changed = []
for origin in (1_790_000_000, 0):
    table = pd.DataFrame({"time": origin + seconds, "count": counts})
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(table, y)
    graph = skl2onnx.to_onnx(pipeline, table[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    columns = {name: table[[name]].to_numpy() for name in table}
    changed.append(int(np.sum(session.run(None, columns)[0] != pipeline.predict(table))))
    kinds = {i.type for i in session.get_inputs()}
    print(f"origin {origin}: inputs {kinds}, {changed[-1]} of 300 labels changed")
raise SystemExit(not (changed[0] > 10 and changed[1] == 0))
PY
# Output seen:
#   skl2onnx 1.20.0
#   origin 1790000000: inputs {'tensor(int64)'}, 31 of 300 labels changed
#   origin 0: inputs {'tensor(int64)'}, 0 of 300 labels changed
