#!/usr/bin/env bash
# One would guess: ksvm(X, y > 0) trains a classifier, or refuses logical labels as e1071's svm does.
# True: it trains an epsilon regression on 0 and 1 without a word; predict returns numbers such as 0.1,
#   and a comparison with TRUE is never true. A factor is needed.
# Seen with: R 4.2.2, kernlab 0.9-32, Debian 12, Linux x86-64, 27 November 2026.
# Source: Debian, r-cran-kernlab (needs Rscript and that package; nothing is installed).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >run.R <<'R'
suppressMessages(library(kernlab))
cat("kernlab", as.character(packageVersion("kernlab")), "\n")
set.seed(1)
y <- rep(c(FALSE, TRUE), 60)
X <- matrix(rnorm(240), 120) + 1.5 * y
m <- ksvm(X, y, kernel = "rbfdot", kpar = list(sigma = 0.5))
p <- predict(m, X)
cat(sprintf("type %s, predictions %s, equal to the label %d of 120 times\n",
            type(m), class(p[1]), sum(p == y)))
quit(status = !(type(m) == "eps-svr" && sum(p == y) == 0))
R
Rscript run.R
# Output seen:
#   kernlab 0.9.32 
#   type eps-svr, predictions numeric, equal to the label 0 of 120 times
