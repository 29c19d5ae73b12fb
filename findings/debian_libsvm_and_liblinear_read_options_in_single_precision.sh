#!/usr/bin/env bash
# One would guess: svm-train -c 0.1 and liblinear-train -c 0.1 train with C = 0.1 in double precision, as
#   LIBSVM's and LIBLINEAR's own sources read it and as the model file's 17 digits suggest.
# True: Debian's programs read the options -c, -g, -r and -w (LIBLINEAR: -c and -B) in single
#   precision. The multipliers at their bound, gamma, coef0 and the bias feature are 0.10000000149011612,
#   so a multiplier exceeds C = 0.1 by 1.5e-9, and no tolerance of the solver changes that.
# Seen with: libsvm-tools 3.24+ds-6, liblinear-tools 2.3.0+dfsg-5, Debian 12, x86-64, 30 November 2026.
# Source: Debian (needs these two packages; nothing is installed).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
dpkg-query -W -f '${Package} ${Version}\n' libsvm-tools liblinear-tools
cat >rows <<'ROWS'
+1 1:1 2:0.5
-1 1:-1 2:0.2
+1 1:-0.5 2:1
-1 1:0.3 2:-1
+1 1:0.1 2:0.1
-1 1:0.2 2:0.3
ROWS
svm-train -q -t 1 -c 0.1 -g 0.1 -r 0.1 -e 1e-9 rows kernel
liblinear-train -q -s 3 -c 0.1 -B 0.1 -e 1e-9 rows linear
grep -E "gamma|coef0" kernel
echo "largest multiplier $(sed '1,/^SV/d' kernel | cut -d' ' -f1 | sort -g | tail -1)"
grep bias linear
single=0.10000000149011612
grep -q "gamma $single" kernel && grep -q "coef0 $single" kernel && grep -q "^$single " kernel &&
  grep -q "bias $single" linear
# Output seen:
#   liblinear-tools 2.3.0+dfsg-5
#   libsvm-tools 3.24+ds-6
#   gamma 0.10000000149011612
#   coef0 0.10000000149011612
#   largest multiplier 0.10000000149011612
#   bias 0.10000000149011612
