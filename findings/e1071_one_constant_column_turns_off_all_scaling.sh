#!/usr/bin/env bash
# One would guess: svm and ksvm, which scale each column unless they are told not to, leave a column
#   without variation as it is and scale the others. The warning names this column: "Variable(s) 'flag'
#   constant. Cannot scale data."
# True: no column is scaled, and in a regression the target is not scaled either. On columns of
#   different units the machine is then no better than chance, and svm's own cross-validation says the
#   same. kernlab's warning does not even name the column. A column of one value is common in a fold,
#   a subset or a sample. It must be left out, or scale = must be FALSE for it alone; then the machine
#   is that without the column.
# Seen with: R 4.2.2, e1071 1.7-13, kernlab 0.9-32, Debian 12, Linux x86-64, 29 November 2026 (not in
#   the help pages, where scale and scaled are "a logical vector indicating the variables to be scaled").
# Source: Debian, r-cran-e1071 and r-cran-kernlab (needs Rscript; nothing is installed).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >run.R <<'R'
options(useFancyQuotes = FALSE)
suppressMessages({library(e1071); library(kernlab)})
for (name in c("e1071", "kernlab")) cat(name, as.character(packageVersion(name)), "\n")
set.seed(1)
y <- factor(rep(c("no", "yes"), 200))
X <- cbind(metres = rnorm(400) + 1.5 * (y == "yes"), cents = 10000 * rnorm(400))
with_flag <- cbind(X, flag = 1)
fit <- 1:200
e1071_svm <- function(A, rows, columns) svm(A[rows, ], y[rows], scale = columns)
kernlab_ksvm <- function(A, rows, columns) ksvm(A[rows, ], y[rows], C = 1, scaled = columns)
rows_right <- function(train, A, columns = TRUE) {
  m <- withCallingHandlers(train(A, fit, columns), warning = function(w) {
    cat("  warning:", conditionMessage(w), "\n")
    invokeRestart("muffleWarning")
  })
  sum(predict(m, A[-fit, ]) == y[-fit])
}
seen <- list()
for (name in c("e1071_svm", "kernlab_ksvm")) {
  train <- get(name)
  cat(name, "\n")
  found <- c(rows_right(train, X), rows_right(train, with_flag),
             rows_right(train, with_flag, c(TRUE, TRUE, FALSE)))
  cat(sprintf("  new rows that are right, of 200: %d without the constant column, %d with it,\n",
              found[1], found[2]))
  cat(sprintf("  %d if scaling is turned off for it alone\n", found[3]))
  seen[[name]] <- found
}
crossed <- suppressWarnings(svm(with_flag, y, cross = 5)$tot.accuracy)
target <- suppressWarnings(svm(with_flag, 1000 * X[, 1])$y.scale)
cat("e1071_svm: cross-validation with the column", crossed, "per cent, the target is scaled:",
    !is.null(target), "\n")
as_told <- all(sapply(seen, function(n) n[1] > 140 && n[2] < 120 && n[3] == n[1]))
quit(status = !(as_told && crossed < 60 && is.null(target)))
R
Rscript run.R
# Output seen:
#   e1071 1.7.13 
#   kernlab 0.9.32 
#   e1071_svm 
#     warning: Variable(s) 'flag' constant. Cannot scale data. 
#     new rows that are right, of 200: 155 without the constant column, 100 with it,
#     155 if scaling is turned off for it alone
#   kernlab_ksvm 
#     warning: Variable(s) `' constant. Cannot scale data. 
#     new rows that are right, of 200: 153 without the constant column, 100 with it,
#     153 if scaling is turned off for it alone
#   e1071_svm: cross-validation with the column 49.25 per cent, the target is scaled: FALSE 
