"""Run the tests of the library and all notebooks as on other processors.

`python tools/processors.py [unit outputs ...]` runs these make targets with OpenBLAS's kernels for
each processor below, and without the vector instructions of NumPy that the processor lacks. At the
end it prints a table, and it fails if a target failed.
"""

import os
import subprocess
import sys

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

AVX2, AVX512 = "X86_V3", "X86_V4"
PROCESSORS = {  # OpenBLAS's name: the groups of NumPy's vector instructions that it has
    "Nehalem": (),
    "Sandybridge": (),
    "Haswell": (AVX2,),
    "Zen": (AVX2,),
    "SkylakeX": (AVX2, AVX512),
}


def environment(processor: str, has: tuple[str, ...]) -> dict[str, str]:
    """Return the variables that make NumPy and its BLAS compute like a processor."""
    here = [group for group in __cpu_dispatch__ if __cpu_features__[group]]
    without = " ".join(group for group in here if group not in has)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_L2")}
    return clean | {"OPENBLAS_CORETYPE": processor, "NPY_DISABLE_CPU_FEATURES": without}


if __name__ == "__main__":
    targets = sys.argv[1:] or ["unit", "outputs"]
    table = []
    for processor, has in PROCESSORS.items():
        if any(not __cpu_features__.get(group) for group in has):
            table.append(f"{processor}: not run, this processor lacks {', '.join(has)}")
            continue
        print(f"As {processor}:", flush=True)
        for target in targets:
            code = subprocess.call(["make", target], env=environment(processor, has))
            table.append(f"{processor}: make {target} {'failed' if code else 'passed'}")
    print("\n".join(table))
    sys.exit(any("failed" in line for line in table))
