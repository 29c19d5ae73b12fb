#!/usr/bin/env bash
# One would guess: as_concordance_index_ipcw_scorer(machine), which the documentation offers for searches of
#   parameters, is high for good machines, as machine.score is. FastSurvivalSVM with rank_ratio below 1 predicts
#   times, not risks, which its method score takes into account.
# True: the wrapper hands the predicted times to a measure of risks. Its score is about one minus the right one, so
#   GridSearchCV takes the gamma that it should take last, here a kernel so narrow that its machine is
#   hardly better than chance (0.55 in place of 0.83). Nothing warns. as_cumulative_dynamic_auc_scorer does the same,
#   and so it is with IPCRidge. With rank_ratio=1 both scores agree. (That predict returns times is documented, and
#   so is that the measures expect risks. The wrapper's page mentions risks only where it explains ties. The
#   method score was mended in 2020 by request of changes 142.) A search without a wrapper is right.
# Seen with: scikit-survival 0.28.0, scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI, scikit-survival.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 scikit-survival==0.28.0 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.model_selection import GridSearchCV
from sksurv.linear_model import IPCRidge
from sksurv.metrics import as_concordance_index_ipcw_scorer, as_cumulative_dynamic_auc_scorer
from sksurv.svm import FastKernelSurvivalSVM, FastSurvivalSVM
from sksurv.util import Surv

random = np.random.RandomState(0)
X = random.standard_normal((150, 8))
time = np.exp(3 - X[:, 0] - X[:, 1] + random.standard_normal(150))
end = random.exponential(100, 150)
y = Surv.from_arrays(time <= end, np.minimum(time, end))
print("scikit-survival", version("scikit-survival"))
seen = []
machines = [FastSurvivalSVM(rank_ratio=r, max_iter=200, random_state=0) for r in (1, 0.5, 0)]
for machine in [*machines, IPCRidge()]:
    named = ", ".join(f"rank_ratio={r}" for r in [getattr(machine, "rank_ratio", None)] if r is not None)
    right = machine.fit(X[:100], y[:100]).score(X[100:], y[100:])
    wrappers = as_concordance_index_ipcw_scorer(machine), as_cumulative_dynamic_auc_scorer(machine, [5, 20])
    found = [wrapper.fit(X[:100], y[:100]).score(X[100:], y[100:]) for wrapper in wrappers]
    print(f"{type(machine).__name__}({named}): score {right:.2f}, by the wrappers", end=" ")
    print(" and ".join(f"{score:.2f}" for score in found))
    upside_down = getattr(machine, "rank_ratio", 0) < 1
    seen.append(right > 0.6 and all((score < 0.4) == upside_down for score in found))
gammas = [0.001, 0.01, 0.1, 1, 10]
for ratio in 1, 0.5:
    machine = FastKernelSurvivalSVM(rank_ratio=ratio, kernel="rbf", max_iter=100, random_state=0)
    plain = GridSearchCV(machine, {"gamma": gammas}).fit(X, y)
    scores = plain.cv_results_["mean_test_score"]
    wrapped = GridSearchCV(as_concordance_index_ipcw_scorer(machine), {"estimator__gamma": gammas}).fit(X, y)
    chosen = float(scores[wrapped.best_index_])
    print(f"FastKernelSurvivalSVM(rank_ratio={ratio}): gammas have", *(f"{score:.2f}" for score in scores), end="; ")
    print(f"the wrapper's search takes that of {chosen:.2f}")
    seen.append(chosen < 0.6 if ratio < 1 else chosen > scores.max() - 0.05)
raise SystemExit(not all(seen))
PY
# Output seen:
#   scikit-survival 0.28.0
#   FastSurvivalSVM(rank_ratio=1): score 0.85, by the wrappers 0.84 and 0.90
#   FastSurvivalSVM(rank_ratio=0.5): score 0.85, by the wrappers 0.15 and 0.10
#   FastSurvivalSVM(rank_ratio=0): score 0.78, by the wrappers 0.25 and 0.15
#   IPCRidge(): score 0.85, by the wrappers 0.16 and 0.10
#   FastKernelSurvivalSVM(rank_ratio=1): gammas have 0.84 0.82 0.77 0.70 0.53; the wrapper's search takes that of 0.84
#   FastKernelSurvivalSVM(rank_ratio=0.5): gammas have 0.83 0.82 0.78 0.68 0.55; the wrapper's search takes that of 0.55
