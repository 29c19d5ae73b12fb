# Ask two programs of R for their machines on the book's data, and store the answers as JSON.
#
#     Rscript findings/answers/r_programs.R svmlib/book/elsewhere
#
# Columns are not scaled, so that C means what it means elsewhere. Each program says otherwise by default.
suppressMessages({library(e1071); library(kernlab)})
folder <- commandArgs(trailingOnly = TRUE)[1]
digits <- function(v) paste(sprintf("%.17g", v), collapse = ", ")

record <- function(file, program, version, package, positive, answers) {
  made <- paste0("29 November 2026, ", Sys.info()[["sysname"]], " ", Sys.info()[["machine"]])
  lines <- c(
    "{",
    sprintf(' "program": "%s",', program), sprintf(' "version": "%s",', version),
    sprintf(' "source": "Debian 12, %s",', package),
    ' "script": "findings/answers/r_programs.R",', sprintf(' "made": "%s",', made),
    ' "C_is": "cost",', sprintf(' "positive": "%s",', positive), ' "answers": [',
    paste(answers, collapse = ",\n"), " ]", "}")
  if (package == "r-cran-kernlab") lines <- sub('"cost"', '"C"', lines)
  writeLines(lines, file.path(folder, file))
  cat("wrote", file, "\n")
}

answer <- function(data, C, key, values, b, gamma = NULL) {
  width <- if (is.null(gamma)) "" else sprintf('   "gamma": %s,\n', gamma)
  sprintf('  {\n   "data": "%s",\n   "C": %s,\n%s   "%s": [%s],\n   "b": %s\n  }',
          data, C, width, key, digits(values), digits(b))
}

spread <- function(n, rows, values) { beta <- numeric(n); beta[rows] <- values; beta }
read <- function(name) as.matrix(read.csv(file.path(folder, paste0(name, ".csv"))))
noisy <- read("noisy"); penguins <- read("penguins")
X <- noisy[, 1:2]; y <- factor(noisy[, 3])
P <- penguins[, 1:2]; s <- factor(penguins[, 3])

first <- function(labels) if (as.character(labels[1]) == "1") 1 else -1  # of a positive score
machine <- function(...) svm(..., type = "C-classification", scale = FALSE)
line <- function(X, y, C) {
  m <- machine(X, y, kernel = "linear", cost = C)
  list(w = first(y) * drop(t(m$coefs) %*% m$SV), b = -first(y) * m$rho)
}
a <- line(X, y, 1); c <- line(P, s, 1000); d <- line(X, y, 0.01)
m <- machine(X, y, kernel = "radial", gamma = 0.5, cost = 1)
record("e1071.json", "R, e1071 svm", as.character(packageVersion("e1071")), "r-cran-e1071",
       "the first label seen", c(
         answer("noisy", 1, "w", a$w, a$b), answer("penguins", 1000, "w", c$w, c$b),
         answer("noisy", 1, "beta", first(y) * spread(nrow(X), m$index, m$coefs), -first(y) * m$rho, 0.5),
         answer("noisy", 0.01, "w", d$w, d$b)))

# As a file, and with scaled columns, as e1071 has them by default.
write.svm(svm(X, y, kernel = "radial", gamma = 0.5, cost = 1),
          svm.file = file.path(folder, "e1071-noisy-scaled.model"),
          scale.file = file.path(folder, "e1071-noisy-scaled.txt"))

line <- function(X, y, C) {
  m <- ksvm(X, y, type = "C-svc", kernel = "vanilladot", kpar = list(), C = C, scaled = FALSE)
  list(w = drop(t(coef(m)[[1]]) %*% X[alphaindex(m)[[1]], ]), b = -b(m))
}
invisible(capture.output({
  a <- line(X, y, 1); c <- line(P, s, 1000); d <- line(X, y, 0.01)
  m <- ksvm(X, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = 0.5), C = 1, scaled = FALSE)
}))
record("kernlab.json", "R, kernlab ksvm", as.character(packageVersion("kernlab")), "r-cran-kernlab",
       "the second level", c(
         answer("noisy", 1, "w", a$w, a$b), answer("penguins", 1000, "w", c$w, c$b),
         answer("noisy", 1, "beta", spread(nrow(X), alphaindex(m)[[1]], coef(m)[[1]]), -b(m), 0.5),
         answer("noisy", 0.01, "w", d$w, d$b)))
