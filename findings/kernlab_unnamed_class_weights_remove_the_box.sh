#!/usr/bin/env bash
# One would guess: class.weights = c(1, 5) weights the two levels in their order, or is refused.
# True: without names ksvm takes no C from it, the multipliers have no upper bound any more, and on
#   points that overlap they grow to 1e10 until the step limit, without a word. With names all is well.
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
y <- factor(rep(c(-1, 1), 60))
X <- matrix(rnorm(240), 120) + 0.7 * rep(c(-1, 1), 60)
largest <- function(weights) {
  m <- ksvm(X, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = 0.5), C = 1,
            scaled = FALSE, class.weights = weights)
  max(unlist(alpha(m)))
}
named <- largest(c("-1" = 1, "1" = 5))
unnamed <- largest(c(1, 5))
cat(sprintf("largest multiplier: named %.3g, unnamed %.1g\n", named, unnamed))
quit(status = !(named <= 5.001 && unnamed > 1e4))
R
Rscript run.R
# Output seen:
#   kernlab 0.9.32 
#   largest multiplier: named 5, unnamed 5e+21
