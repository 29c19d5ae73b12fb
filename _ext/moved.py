"""Old addresses: a page that has moved leads to the new page, an anchor to its new place.

If one chapter became two, an anchor is looked for in both. A page that kept its address redirects
the anchors of sections that have moved and of headings that have new names.
"""

import json
import re
from pathlib import Path

MOVED = {  # an old page, and the pages that have its parts now
    "chapters/06_hinge_loss": ("chapters/07_hinge_loss", "chapters/06_soft_margin"),
    "chapters/07_full_smo": ("chapters/08_full_smo",),
    "chapters/08_practice": ("chapters/09_practice",),
    "chapters/09_relatives": ("chapters/10_relatives",),
    "chapters/10_wide_margin": ("chapters/11_wide_margin",),
    "chapters/11_newton": ("chapters/12_newton",),
    "chapters/12_many_samples": ("chapters/13_many_samples", "chapters/14_beyond_memory"),
}
SPLIT = {  # a page that kept its address, and those that have its parts now
    "chapters/13_many_samples": ("chapters/13_many_samples", "chapters/14_beyond_memory"),
    "chapters/15_elsewhere": ("chapters/15_elsewhere", "chapters/08_full_smo"),
}
RENAMED = {  # headings and boxes of these pages
    "how-large-is-a-difference-mcnemar-s-test": "how-large-is-a-difference-standard-errors",
    "a-tolerance-per-sample-costs-c-times-as-much": "a-tolerance-per-sample-is-multiplied-by-c",
    "the-difference-of-the-two-values": "duality-gap-and-kkt-conditions-of-the-svm",
    "no-line-at-all": "classes-that-are-not-separable",
    "charge-for-slack": "slack-variables-and-their-price-c",
    "how-the-band-grows": "how-the-width-of-the-band-depends-on-c",
    "how-the-width-depends-on-c": "how-the-width-of-the-band-depends-on-c",
    "three-kinds-of-samples": "free-and-bounded-support-vectors",
    "which-caps-separate-and-which-correspond-to-some-c": (
        "the-caps-of-the-reduced-hulls-and-the-price-c"
    ),
    "choosing-c": "choosing-c-by-cross-validation",
    "or-shrink-the-hulls": "reduced-convex-hulls",
    "slack-eliminated": "the-hinge-loss-eliminating-the-slack",
    "downhill-with-kinks": "subgradient-descent",
    "a-line-one-multiplier-at-a-time": "coordinate-descent-one-multiplier-at-a-time",
    "a-few-features-for-a-kernel": "low-rank-approximation-a-few-features-for-a-kernel",
    "by-lot": "random-fourier-features",
    "twenty-thousand-samples": "pivots-in-svc-twenty-thousand-samples",
    "two-linear-machines-linearsvc-charges-for-the-bias": (
        "two-linear-machines-linearsvc-penalises-the-bias"
    ),
    "what-scaling-does-to-the-charge": "what-scaling-does-to-the-penalty",
    "why-smo-needs-so-many-steps": "conditioning-and-the-number-of-smo-steps",
    "past-one-machine": "sums-over-chunks-of-rows",
    "four-ways-to-ask": "four-equivalent-formulations",
    "a-thousand-gaps-a-thousand-bridges": "gaps-and-bridges-an-experiment-with-two-hulls",
    "two-problems-one-answer": "the-hull-problem-in-coordinates-two-problems-one-answer",
    "choose-the-pair": "choosing-the-pair-the-most-violating-pair",
    "the-rule-for-the-penguins": "the-decision-rule-for-the-penguins",
    "a-sum-of-bumps": "the-rbf-decision-function-a-sum-of-bumps",
    "kernels-as-functions": "reproducing-kernel-hilbert-spaces-kernels-as-functions",
    "the-problem-in-coordinates": "problem-1-the-closest-points-in-coordinates",
    "letting-the-sum-of-the-weights-vary": "problem-2-the-sum-of-the-weights-may-vary",
    "which-weights-can-move": "why-smo-changes-two-weights-at-a-time",
    "the-algorithm": "the-smo-algorithm",
    "when-to-stop": "stopping-criterion-when-to-stop",
    "the-sweep-converges": "convergence-of-the-sweeps",
    "how-fast-the-steepest-pair-is": "convergence-rate-of-the-steepest-pair",
    "the-unit-of-length": "scaling-all-coordinates-the-unit-of-length",
    "a-bound-by-adding-up": "a-lower-bound-by-adding-up-constraints",
    "the-same-for-every-problem": "lagrange-duality-for-every-problem",
    "a-fence-pushes-back": "lagrange-multipliers-a-fence-pushes-back",
    "the-saddle": "strong-duality-when-the-duality-gap-is-zero",
    "the-line-in-the-box": "two-multipliers-a-line-in-a-box",
    "where-the-advice-ends": "probabilities-and-calibration",
    "where-advice-ends": "probabilities-and-calibration",
    "a-share-instead-of-a-price": "the-svm-a-fraction-in-place-of-c",
    "one-class-away-from-the-origin": "one-class-svm-anomaly-detection",
    "regression-a-tube": "support-vector-regression-a-tube",
    "exactly": "the-svm-a-fraction-in-place-of-c",
    "known-faults-and-samples-from-new-groups": "one-class-svm-anomaly-detection",
    "one-class-exactly": "one-class-svm-the-nearest-point-of-a-hull",
    "the-tube-exactly": "support-vector-regression-the-dual",
    "do-more-samples-help": "learning-curves-do-more-samples-help",
    "dask-takes-the-place-of-the-list": "dask-delayed-chunks-in-place-of-the-list",
    "dask-arrays-in-place-of-the-list": "dask-delayed-chunks-in-place-of-the-list",
    "l-bfgs-conjugate-gradients-and-cocoa-on-the-same-chunks": (
        "l-bfgs-and-conjugate-gradients-on-the-same-chunks"
    ),
    "ex-memory-cocoa": "further-reading",
    "ex-many-bound-code": "ex-many-bound",
    "what-is-proved-and-what-is-not": "convergence-every-tolerance-is-met",
    "one-certificate-for-every-program": "why-the-verdict-can-be-believed-a-dual-for-every-program",
    "vowpal-wabbit-a-program-without-a-c": "sec-elsewhere-translate",
    "is-it-the-data-or-c": "sec-elsewhere-causes",
    "fig-elsewhere-angles": "sec-elsewhere-causes",
    "the-problems-differ": "real-programs-on-the-same-data",
    "a-machine-from-r": "certify-a-machine",
    "certify-any-machine-in-three-lines": "certify-a-machine",
    "certify-a-machine-in-three-lines": "certify-a-machine",
    "new-rows-a-start-from-the-old-multipliers": "ex-full-start",
    "read-more": "further-reading",
    "decision-dag-and-output-codes": "multiclass-classification",
    "more-than-two-classes": "multiclass-classification",
    "what-weights-say-and-what-not": "interpreting-the-weights-of-a-linear-svm",
    "cutting-planes-one-slack-for-all-samples": "crammer-and-singer-s-machine-dual-and-algorithm",
    "texts-with-typing-errors-pieces-of-words": "ex-relatives-typing",
    "wild-targets-totals-and-intervals": "outliers-among-the-targets-and-totals",
    "a-general-purpose-optimiser-repaired": "the-dual-as-a-quadratic-program",
    "what-rounding-does-to-a-certificate": "a-certificate",
    "three-dimensions-and-more": "hulls-in-three-dimensions",
    "points-near-the-border": "fig-margin-trial",
    "the-machine-that-charges-w-j-a-linear-program": "the-svm-with-w-j-a-linear-program",
    "fig-cap": "thm-cap-of-c",
    "prop-price-slopes": "thm-strong-duality",
    "thm-practice-radius": "thm-margin-radius",
    "thm-practice-loo": "thm-margin-loo",
    "prop-margin-balanced": "ex-margin-balanced",
    "ex-margin-rademacher": "thm-margin-norm",
    "hulls": "convex-hulls",
    "problem": "the-dual-problem",
    "hinge": "hinge-loss-and-subgradient-descent",
    "interior-point": "interior-point-method",
    "smo-on-hulls": "smo-on-convex-hulls",
}
LEAD = """<script>
(places => {{
  const place = places[location.hash.slice(1)];
  if (place) location.replace(place);{otherwise}
}})({places});
</script>
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{name}">
<noscript><meta http-equiv="refresh" content="0; url={name}"></noscript>
{lead}</head>
<body><p>This page has moved: <a href="{name}">it is here now</a>.</p></body>
</html>
"""


def anchors(folder, page):
    article = (folder / f"{page}.html").read_text(encoding="utf-8").partition("<article")[2]
    return set(re.findall(r'<[a-z][^<>]* id="([^"]+)"', article.partition("</article>")[0]))


def places(folder, pages):
    """Return the places of the anchors that the first of some pages does not have."""
    first, *others = pages
    known = anchors(folder, first)
    found = {name: f"#{name}" for name in known}
    for page in others:
        address = f"{page.rpartition('/')[2]}.html"
        found = {name: f"{address}#{name}" for name in anchors(folder, page)} | found
    found |= {old: found[new] for old, new in RENAMED.items() if new in found and old not in found}
    return {name: found[name] for name in sorted(found.keys() - known)}


def lead_on(app, error):
    if error or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    for old, new in MOVED.items():
        if app.env.found_docs.issuperset(new) and old not in app.env.found_docs:
            name = f"{new[0].rpartition('/')[2]}.html"
            known = places(folder, new)
            known = {key: it if it[0] != "#" else name + it for key, it in known.items()}
            otherwise = f'\n  else location.replace("{name}" + location.search + location.hash);'
            lead = LEAD.format(places=json.dumps(known), otherwise=otherwise)
            page = PAGE.format(name=name, lead=lead)
            (folder / f"{old}.html").write_text(page, encoding="utf-8")
    for name in app.env.found_docs:
        parts = [page for page in SPLIT.get(name, (name,)) if page in app.env.found_docs]
        lead_within(folder, name, parts)


def lead_within(folder, name, pages):
    """Redirect the anchors that a page no longer has, if there are any."""
    file = folder / f"{name}.html"
    before = file.read_text(encoding="utf-8")
    # An earlier build may have put a script there already.
    page = re.sub(r"<script>\n\(places =>.*?</script>\n", "", before, flags=re.DOTALL)
    if found := places(folder, pages):
        lead = LEAD.format(places=json.dumps(found), otherwise="")
        page = page.replace("</head>", f"{lead}</head>", 1)
    if page != before:
        file.write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", lead_on, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
