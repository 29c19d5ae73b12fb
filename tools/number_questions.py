r"""Draw questions with random numbers, and answer them, for `questions.py`: a function for each.

Each returns a text in Markdown that says all that is needed, and the answer, computed by svmlib or
in plain NumPy: an integer where a count is asked for, else a number that three decimals can tell
from others. Given values are written as `$letter=value$`, so that tests can read them.
"""

from collections import Counter
from itertools import combinations, pairwise
from math import comb

import numpy as np

from svmlib.geometry import Hyperplane, directional_margin
from svmlib.hinge import hinge_loss, primal_objective
from svmlib.hulls import closest_points
from svmlib.kernels import RBF, Polynomial
from svmlib.problem import DualProblem


def vector(x):
    return f"({', '.join(f'{value:g}' for value in x)})"


def points(X):
    return ", ".join(f"${vector(x)}$" for x in X)


def line(random):
    """Return a normal that is not zero, and a bias."""
    return random.choice([-1, 1], 2) * random.randint(1, 6, 2), int(random.randint(-5, 6))


def classes(random, apart=False):
    """Return three samples of each class, all different; with `apart`, on two sides of a gap."""
    X = np.column_stack(np.divmod(random.permutation(25)[:6], 5))
    y = np.repeat([1, -1], 3)
    return X + 6 * apart * (y > 0)[:, None], y


def street(random):
    """Return a line near (5, 5), between two classes, which it may miss."""
    (w, b), (X, y) = line(random), classes(random, apart=True)
    return abs(w), b - 5 * abs(w).sum(), X, y


def told(X, y):
    return f"The positive samples are {points(X[y > 0])}, the negative ones {points(X[y < 0])}."


# Chapter 1


def distance(random):
    (w, b), x = line(random), random.randint(-9, 10, 2)
    asked = (
        f"How far is $x={vector(x)}$ from the line $w\\cdot x+b=0$ with $w={vector(w)}$, $b={b}$?"
    )
    return f"{asked} Give the distance with its sign.", Hyperplane(w, b).signed_distance([x])[0]


def functional(random):
    w, b, X, y = street(random)
    asked = f"What is the functional margin of $w={vector(w)}$, $b={b}$ on all of them?"
    return f"{told(X, y)} {asked}", int(Hyperplane(w, b).functional_margin(X, y))


def geometric(random):
    w, b, X, y = street(random)
    asked = f"What is the geometric margin of the line $w={vector(w)}$, $b={b}$ on all of them?"
    return f"{told(X, y)} {asked}", Hyperplane(w, b).geometric_margin(X, y)


def width(random):
    (w, _), (X, y) = line(random), classes(random, apart=True)
    w *= np.sign(w[0])
    asked = f"How wide is the gap along $w={vector(w)}$, with the positive class in front?"
    asked += " (Below zero there is none.)"
    return f"{told(X, y)} {asked}", directional_margin(X, y, w).width


# Chapter 2


def bridge(random):
    X, y = classes(random, apart=True)
    return f"{told(X, y)} How far are their convex hulls apart?", closest_points(X, y).distance


def optimal(random):
    X, y = classes(random, apart=True)
    asked = "What is the largest geometric margin that a line can have?"
    return f"{told(X, y)} {asked}", closest_points(X, y).distance / 2


def to_hull(random):
    X = np.vstack([classes(random)[0][:4], random.randint(6, 10, 2)])
    asked = f"How far is $z={vector(X[-1])}$ from the convex hull of {points(X[:-1])}?"
    return asked, closest_points(X, [1, 1, 1, 1, -1]).distance


# Chapter 3


def pair(random):
    """Return w, the arrow of a pair of samples, the best step, and the words for them."""
    w, z = random.randint(-2, 3, (2, 2))
    x, (up, down) = z + random.choice([-2, -1, 1, 2], 2), random.randint(1, 10, 2) / 10
    said = (
        f"The positive sample $x^+={vector(x)}$ has the weight $\\lambda^+={up:g}$, the negative"
        f" $x^-={vector(z)}$ has $\\lambda^-={down:g}$, and $w={vector(w)}$. A step adds the same"
        r" $\delta$ to both weights, which must not become negative, and $w$ becomes"
        r" $w+\delta(x^+-x^-)$."
    )
    return said, w, x - z, max((1 - w @ (x - z)) / ((x - z) @ (x - z)), -up, -down)


def pair_step(random):
    said, _, _, best = pair(random)
    asked = r"Which $\delta$ makes $\lVert w\rVert^2$ less the sum of all weights smallest?"
    return f"{said} {asked}", best


def fall(random):
    said, w, u, best = pair(random)
    asked = r"By how much can it lower $\lVert w\rVert^2$ less the sum of all weights?"
    return f"{said} {asked}", 2 * best - (2 * w + best * u) @ (best * u)


def size(random):
    q = random.randint(-3, 4, 2)
    p = q + random.choice([-4, -3, -2, -1, 1, 2, 3, 4], 2)
    asked = (
        f"Weights that sum to one in each class mix the points $p={vector(p)}$ and"
        f" $q={vector(q)}$. All weights are multiplied by $s$, so that $w=s(p-q)$. For which $s$"
        r" is $\lVert w\rVert^2-2s$ smallest?"
    )
    return asked, 1 / ((p - q) @ (p - q))


# Chapter 4


def multipliers(random):
    """Return balanced multipliers of two positive and two negative samples."""
    half = random.randint(1, 4, 2) / 2
    return np.concatenate([random.permutation([*half, 0]), random.permutation([*half, 0])])


def dual_value(random):
    (X, y), alpha = classes(random), multipliers(random)
    asked = (
        f"Their multipliers, in this order, are $\\alpha={vector(alpha)}$. What is"
        r" $\sum_i\alpha_i-\frac12\lVert\sum_i\alpha_iy_ix_i\rVert^2$?"
    )
    return f"{told(X, y)} {asked}", DualProblem(X, y).objective(alpha)


def gap(random):
    w, _, X, y = street(random)
    alpha = multipliers(random)
    asked = (
        f"The line $w={vector(w)}$, $b={-5 * w.sum()}$ meets all constraints"
        " $y_i(w\\cdot x_i+b)\\ge1$ of the hard margin. Take the multipliers"
        f" $\\alpha={vector(alpha)}$, in the order of the samples. How large is the duality gap?"
    )
    return f"{told(X, y)} {asked}", w @ w / 2 - DualProblem(X, y).objective(alpha)


def multiplier(random):
    z = random.randint(-5, 6, 2)
    x = z + random.choice([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5], 2)
    asked = (
        f"There are two samples, $x={vector(x)}$ with label $+1$ and $z={vector(z)}$ with label"
        " $-1$. Which multiplier do both have where the dual of the hard margin is largest?"
    )
    return asked, 2 / ((x - z) @ (x - z))


def midline(random):
    w, _, X, y = street(random)
    asked = f"Let $w={vector(w)}$. Which $b$ gives the line the largest functional margin?"
    return f"{told(X, y)} {asked}", directional_margin(X, y, w).hyperplane.b


# Chapter 5


def gaussian(random):
    x, gamma = random.randint(0, 3, 3), random.randint(1, 4) / 10
    z = x + random.permutation([random.randint(0, 3), 1, -1])
    asked = (
        f"What is $e^{{-\\kappa\\lVert x-z\\rVert^2}}$ for $\\kappa={gamma:g}$, $x={vector(x)}$ and"
        f" $z={vector(z)}$?"
    )
    return asked, RBF(gamma)(x[None] * 1.0, z[None] * 1.0)[0, 0]


def quadratic(random, degree=2):
    """Return two points, a constant and the Gram matrix of the points."""
    X, c = random.randint(-3, 4, (2, 2)), int(random.randint(0, 4))
    K = Polynomial(degree, 1.0, float(c))(X * 1.0, X * 1.0)
    return f"$x={vector(X[0])}$, $z={vector(X[1])}$ and $c={c}$", K


def polynomial(random):
    degree = int(random.randint(2, 4))
    said, K = quadratic(random, degree)
    return f"What is $(x\\cdot z+c)^p$ for {said}, $p={degree}$?", int(K[0, 1])


def feature_distance(random):
    said, K = quadratic(random)
    asked = (
        r"Let $\varphi$ be a feature map of the kernel $k(x,z)=(x\cdot z+c)^2$. How far is"
        rf" $\varphi(x)$ from $\varphi(z)$ for {said}?"
    )
    return asked, np.sqrt(K[0, 0] + K[1, 1] - 2 * K[0, 1])


def machine(random):
    (u, v, x), a = random.randint(0, 3, (3, 2)), random.randint(1, 5) / 2
    b, gamma = random.randint(-4, 5) / 4, random.randint(1, 5) / 10
    asked = (
        r"A machine has the kernel $k(x,z)=e^{-\kappa\lVert x-z\rVert^2}$ with"
        f" $\\kappa={gamma:g}$, the bias $b={b:g}$, and two support vectors, $u={vector(u)}$ with"
        f" label $+1$ and $v={vector(v)}$ with label $-1$, both with the multiplier $a={a:g}$."
        f" What is $f(x)$ at $x={vector(x)}$?"
    )
    k = RBF(gamma)(np.array([u, v]) * 1.0, x[None] * 1.0)[:, 0]
    return asked, a * (k[0] - k[1]) + b


def eigenvalue(random):
    (first, last), c = random.randint(1, 6, 2), random.randint(1, 5)
    rows = [first, c], [c, last]
    asked = f"What is the smallest eigenvalue of the matrix with the rows {points(rows)}?"
    return asked, np.linalg.eigvalsh(rows)[0]


# Chapter 6


def slack(random):
    (w, b), (X, y) = line(random), classes(random)
    asked = f"How much slack does $w={vector(w)}$, $b={b}$ need, all samples together?"
    return f"{told(X, y)} {asked}", int(hinge_loss(Hyperplane(w, b).functional_margins(X, y)).sum())


def objective(random):
    (w, b), (X, y), C = line(random), classes(random), int(random.randint(1, 10))
    asked = (
        f"What is $\\frac12\\lVert w\\rVert^2+C\\sum_i\\xi_i$ at $w={vector(w)}$, $b={b}$, $C={C}$,"
        " with as little slack as the constraints allow?"
    )
    return f"{told(X, y)} {asked}", primal_objective(w, b, X, y, C)


def reduced_end(random):
    x, cap = random.permutation(20)[:4], random.randint(6, 20) / 20
    asked = (
        f"What is the largest number in the reduced convex hull of the numbers $x={vector(x)}$ with"
        f" the cap $\\mu={cap:g}$?"
    )
    return asked, np.diff(np.minimum(cap * np.arange(5), 1)) @ np.sort(x)[::-1]


# Chapter 7


def slope(random):
    (w, b), (X, y), C = line(random), classes(random), int(random.randint(1, 10))
    asked = (
        r"What is the derivative of $\frac12\lVert w\rVert^2+C\sum_i\max(0,1-y_i(w\cdot x_i+b))$"
        f" with respect to $b$, at $w={vector(w)}$, $b={b + 0.5:g}$, $C={C}$?"
    )
    pushing = Hyperplane(w, b + 0.5).functional_margins(X, y) < 1
    return f"{told(X, y)} {asked}", -C * int(y[pushing].sum())


def pegasos_step(random):
    w, y = random.randint(-3, 4, 2) + np.array([0.25, 0]), int(random.choice([-1, 1]))  # at no kink
    x = random.choice([-3, -2, -1, 1, 2, 3], 2)
    t, lam = int(random.randint(2, 6)), int(random.randint(1, 5)) / 10
    asked = (
        f"Pegasos is at $w={vector(w)}$. Step $t={t}$ draws the sample $x={vector(x)}$ with the"
        f" label $y={y}$, and $\\lambda={lam:g}$. What is the first component of the next $w$?"
    )
    pushes = y * (w @ x) < 1
    return asked, (1 - 1 / t) * w[0] + pushes * y * x[0] / (lam * t)


# Chapter 8


def multiplier_states(random, states):
    """Return labels and multipliers of all states in either class, C, and the words for them."""
    C, order = int(random.randint(1, 5)), random.permutation(2 * len(states))
    y = np.repeat([1, -1], len(states))[order]
    alpha = C * np.tile(states, 2)[order]
    return y, alpha, C, f"$y={vector(y)}$, $\\alpha={vector(alpha)}$, $C={C}$"


def violation(random):
    y, alpha, C, said = multiplier_states(random, [0, 0.5, 1])
    g = random.randint(-20, 21, 6) / 10
    up, down = np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)
    asked = (
        f"Six samples have {said} and $g={vector(g)}$, where $g_i=y_i-\\sum_jK_{{ij}}\\alpha_jy_j$."
        r" Take the largest $g_i$ whose $\alpha_iy_i$ can grow, and subtract the smallest whose"
        r" $\alpha_iy_i$ can fall. What is the difference?"
    )
    return asked, g[up].max() - g[down].min()


def bias(random):
    y, alpha, C, said = multiplier_states(random, [0, 1])
    up = (y > 0) == (alpha < C)
    g = np.where(up, random.randint(-20, 1, 4), random.randint(1, 21, 4)) / 10
    asked = (
        f"Four samples have {said} and $g={vector(g)}$, where"
        r" $g_i=y_i-\sum_jK_{ij}\alpha_jy_j$, and $\alpha$ is optimal. What is the middle of the"
        " interval of the biases that are optimal?"
    )
    return asked, (g[up].max() + g[~up].min()) / 2


def pair_in_the_box(random):
    """Return the slope and the curvature of a pair, the best step, and the words for them."""
    s, a, C = random.randint(1, 10) / 2, int(random.randint(1, 5)), int(random.randint(1, 5))
    (up, down), (y, z) = C * random.randint(1, 4, 2) / 4, random.choice([-1, 1], 2)
    said = (
        f"Two samples have $y_i={y}$, $y_j={z}$, $\\alpha_i={up:g}$, $\\alpha_j={down:g}$, and"
        f" $C={C}$. A step of SMO raises $\\alpha_iy_i$ by $\\lambda$ and lowers $\\alpha_jy_j$ by"
        f" $\\lambda$. The dual grows by $\\lambda s-\\frac12\\lambda^2a$ with $s={s:g}$, $a={a}$."
    )
    room = min(C - up if y > 0 else up, down if z > 0 else C - down)
    return said, s, a, min(s / a, room)


def full_step(random):
    said, _, _, best = pair_in_the_box(random)
    return f"{said} Which $\\lambda$ is best?", best


def gain(random):
    said, s, a, best = pair_in_the_box(random)
    return f"{said} How much can the dual gain?", best * s - best**2 * a / 2


# Chapter 9


def standard_error(random):
    n = int(random.randint(10, 100)) * 10
    right = n * int(random.randint(60, 96)) // 100
    asked = (
        f"Of $n={n}$ hidden samples $r={right}$ were called right. What is the standard error of"
        " this share, in percentage points?"
    )
    return asked, 100 * np.sqrt(right / n * (1 - right / n) / n)


def chance(random):
    one = int(random.randint(0, 4))
    two = one + int(random.randint(2, 6))
    n = one + two
    asked = (
        f"Two machines answered the same questions. Only the first was right on $a={one}$ of them,"
        f" only the second on $b={two}$. With which probability does a fair coin split $a+b$ tosses"
        " at least as unevenly, one way or the other?"
    )
    return asked, sum(comb(n, k) for k in range(n + 1) if abs(n - 2 * k) >= two - one) / 2**n


def cheapest(random):
    miss, alarm = (int(cost) for cost in random.randint(1, 21, 2))
    asked = f"A missed $+1$ costs $c_+={miss}$, a false alarm $c_-={alarm}$, all else nothing."
    asked += " From which probability of $+1$ on is $+1$ the cheaper call?"
    return asked, alarm / (miss + alarm)


def roc_area(random):
    f = random.permutation(19)[:7] / 2 - 4.5
    asked = (
        f"Three positive samples have the decision values $p={vector(f[:3])}$, four negative ones"
        f" $q={vector(f[3:])}$. How large is the area under the ROC curve?"
    )
    return asked, np.mean(f[:3, None] > f[3:])


def prior_shift(random):
    p, old, new = random.randint(2, 19, 3) / 20
    asked = (
        f"A calibrated machine says $p={p:g}$ for a sample where the share of the positive class is"
        f" $\\pi={old:g}$. What should it say where that share is $\\pi'={new:g}$ and each class"
        " looks as before?"
    )
    odds = p / (1 - p) * new / (1 - new) * (1 - old) / old
    return asked, odds / (1 + odds)


def trained(random):
    a, b, k = (int(number) for number in random.randint(3, 11, 3))
    asked = (
        f"A search on a grid tries $a={a}$ values of $C$ with $b={b}$ of `gamma`, each pair by"
        f" $k={k}$-fold cross-validation, and trains the best one again on all samples. How many"
        " machines does it train?"
    )
    return asked, a * b * k + 1


# Chapter 10


def machines(random):
    K = int(random.randint(4, 41))
    asked = f"There are $K={K}$ classes. How many more machines does one against one train than one"
    return f"{asked} against the rest?", comb(K, 2) - K


def votes(random):
    f, k = random.choice([-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2], 6), int(random.randint(1, 5))
    pairs = list(combinations(range(1, 5), 2))
    values = ", ".join(f"$f_{{{a}{b}}}={v:g}$" for (a, b), v in zip(pairs, f, strict=True))
    asked = (
        f"One against one, four classes: {values}, where $f_{{ab}}>0$ is a vote for the class $a$"
        f" and $f_{{ab}}<0$ one for $b$. How many votes does the class $k={k}$ get?"
    )
    return asked, sum(k == (a if v > 0 else b) for (a, b), v in zip(pairs, f, strict=True))


def tube(random):
    t, off = random.randint(-9, 10, 4), random.choice([-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3], 4)
    eps = int(random.randint(1, 8)) / 4
    asked = (
        f"The targets are $t={vector(t)}$, the values $f={vector(t + off)}$. What is the sum of the"
        f" losses $\\max(0,|t_i-f_i|-\\varepsilon)$ with $\\varepsilon={eps:g}$?"
    )
    return asked, np.maximum(0, abs(off) - eps).sum()


def spectrum(random):
    one, two = ("".join(random.choice(list("ab"), n)) for n in random.randint(5, 8, 2))
    asked = (
        "Let $c_u(s)$ count how often the piece $u$ occurs in the string $s$; pieces may overlap."
        r" What is $\sum_uc_u(s)c_u(t)$ over all pieces $u$ of two letters, for"
        f" $s=\\texttt{{{one}}}$ and $t=\\texttt{{{two}}}$?"
    )
    first, second = (Counter(pairwise(string)) for string in (one, two))
    return asked, sum(first[u] * second[u] for u in first)


def nu_bound(random):
    n, tenths = int(random.randint(11, 200)), int(random.randint(1, 6))
    asked = (
        rf"A ν-SVM with $\nu={tenths / 10:g}$, trained on $n={n}$ samples, finds a $w$ that is not"
        " zero. At least how many multipliers are positive?"
    )
    return asked, -(-n * tenths // 10)


# Chapter 11


def left_out(random):
    n = int(random.randint(20, 200))
    k = int(random.randint(3, n // 2))
    asked = (
        f"A soft margin trained on $n={n}$ samples has $k={k}$ support vectors, and $w\\ne0$. At"
        " least what share of the samples is called right by the machine that is trained on all but"
        " that one?"
    )
    return asked, 1 - k / n


def shattered(random):
    R, twice = int(random.randint(3, 10)), int(random.randint(1, 6))
    asked = (
        f"Some points are at most $R={R}$ from the origin, and each labelling of them has a"
        rf" hyperplane through the origin with a margin of at least $\gamma={twice / 2:g}$. At most"
        " how many points are there?"
    )
    return asked, 4 * R**2 // twice**2


def labellings(random):
    d, n = int(random.randint(2, 6)), int(random.randint(4, 13))
    asked = (
        f"There are $n={n}$ points in general position in a space of dimension $d={d}$. How many"
        " labellings of them does some hyperplane separate? (A bias is allowed, and labels that are"
        " all alike count.)"
    )
    return asked, 2 * sum(comb(n - 1, k) for k in range(d + 1))


def signed(random):
    """Return samples that a line through the origin separates, and its normal."""
    w = random.choice([-1, 1], 2) * random.randint(1, 4, 2)
    X = np.column_stack(np.divmod(random.permutation(121), 11)) - 5
    X, y = X[X @ w != 0][:4], random.permutation([1, 1, -1, -1])
    return w, X * (y * np.sign(X @ w))[:, None], y


def corrections(random):
    _, X, y = signed(random)
    w, found, clean = np.zeros(2), 0, 0
    while clean < len(y):
        for x, label in zip(X, y, strict=True):
            wrong = label * (w @ x) <= 0
            w, found, clean = w + wrong * label * x, found + wrong, 0 if wrong else clean + 1
    asked = (
        f"The perceptron begins with $w=0$ and takes the samples {points(X)} with the labels"
        f" $y={vector(y)}$ in this order, again and again. Whenever $y_iw\\cdot x_i\\le0$, it adds"
        " $y_ix_i$ to $w$. How many corrections does it make?"
    )
    return asked, int(found)


def novikoff(random):
    w, X, y = signed(random)
    asked = (
        f"The samples {points(X)} have the labels $y={vector(y)}$. Which bound $(R/\\gamma)^2$ on"
        f" the corrections of the perceptron does the line $w={vector(w)}$, $b=0$ prove?"
    )
    return asked, (X**2).sum(1).max() / Hyperplane(w, 0).geometric_margin(X, y) ** 2


# Chapter 12


def rounded(random):
    """Return a sample on a hinge with a ramp, the ends of the ramp, and the words for them."""
    y, C = int(random.choice([-1, 1])), int(random.randint(1, 5))
    c, h = y * C * int(random.randint(0, 3)) / 2, int(random.randint(1, 5)) / 4
    s = y + int(random.randint(-6, 7)) / 4
    said = f"$y={y}$, $C={C}$, $c={c:g}$, $h={h:g}$ and the score $s={s:g}$"
    return said, s, y, c, h, (min(0, C * y), max(0, C * y))


def ramp(random):
    said, s, y, c, h, box = rounded(random)
    asked = (
        r"Which $q$ between $0$ and $yC$ makes $q\,(y-s)-\frac h2(q-c)^2$ largest, for"
        f" {said}?"
    )
    return asked, np.clip(c + (y - s) / h, *box)


def rounded_loss(random):
    said, s, y, c, h, box = rounded(random)
    asked = (
        r"The rounded hinge is the largest value of $q\,(y-s)-\frac h2(q-c)^2$ for $q$ between $0$"
        f" and $yC$. What is it for {said}?"
    )
    q = np.clip(c + (y - s) / h, *box)
    return asked, q * (y - s) - h / 2 * (q - c) ** 2


def on_the_ramp(random):
    s, c = 1.025 + random.randint(-12, 13, 6) / 20, random.randint(0, 3, 6) / 2
    asked = (
        f"Six positive samples have the scores $s={vector(s)}$ and the centres $c={vector(c)}$."
        " With $C=1$ and $h=0.4$, for how many is $c_i+(1-s_i)/h$ strictly between $0$ and $C$?"
    )
    return asked, int(np.sum((c + (1 - s) / 0.4 > 0) & (c + (1 - s) / 0.4 < 1)))


def newton_step(random):
    k, (first, last) = int(random.randint(0, 4)), random.randint(4, 8, 2)
    (c, e), h = random.randint(0, 5, 2) / 4, int(random.randint(1, 5)) / 2
    asked = (
        f"Both of two samples are free. They have $y_1=1$, $y_2=-1$, the centres $c_1={c:g}$ and"
        f" $c_2={0 - e:g}$, and the kernel values $K_{{11}}={first}$, $K_{{12}}={k}$ and"
        f" $K_{{22}}={last}$. With $h={h:g}$, a Newton step solves $(K+hI)\\,p+b\\,1=y+hc$ and"
        " $p_1+p_2=0$. What is $p_1$?"
    )
    system = [[first + h, k, 1], [k, last + h, 1], [1, 1, 0]]
    return asked, np.linalg.solve(system, [1 + h * c, -1 - h * e, 0])[0]


# Chapter 13


def coordinate(random):
    w, x = random.randint(-2, 3, 2), random.choice([-3, -2, -1, 1, 2, 3], 2)
    y, C = int(random.choice([-1, 1])), int(random.randint(1, 4))
    alpha = C * int(random.randint(0, 5)) / 4
    asked = (
        f"A machine without a bias has $w={vector(w)}$ and $C={C}$. Its sample $x={vector(x)}$ with"
        rf" the label $y={y}$ has the multiplier $\alpha={alpha:g}$. All others stay. What is"
        " its best multiplier?"
    )
    return asked, np.clip(alpha + (1 - y * (w @ x)) / (x @ x), 0, C)


def effort(random):
    n, d = int(random.randint(1, 100)) * 1000, int(random.randint(2, 50))
    r, t = n // int(random.randint(2, 10)), int(random.randint(1, 20)) * 1000
    asked = (
        f"A run of SMO on $n={n}$ samples with $d={d}$ features asked for $r={r}$ rows of the Gram"
        f" matrix and took $t={t}$ steps. A kernel value takes $d$ multiplications, a step two for"
        " each sample. How many millions of multiplications were that?"
    )
    return asked, (n * d * r + 2 * n * t) / 1e6


# Chapter 14


def lower_bound(random):
    plus, minus = random.randint(-3, 4, (2, 2))
    more, less = (int(number) for number in random.randint(1, 7, 2))
    asked = (
        r"A pass has found the sums $M^\pm$ of $q_ix_i$ and $S^\pm$ of $q_i$ over the samples of"
        f" either class: $M^+={vector(plus)}$, $S^+={more}$, $M^-={vector(minus)}$, $S^-={-less}$."
        " The slopes $q_i$ of the heavier class are scaled down until all of them sum to zero."
        " Which dual value do they prove then?"
    )
    w = min(more, less) * (plus / more + minus / less)
    return asked, 2 * min(more, less) - w @ w / 2


def amdahl(random):
    p, W = int(random.randint(1, 11)) / 50, int(random.randint(2, 65))
    asked = (
        f"With one worker the share $p={p:g}$ of the time of a pass goes to what cannot be divided."
        f" How many times as fast are $W={W}$ workers?"
    )
    return asked, 1 / (p + (1 - p) / W)


KINDS = {
    "01. Numbers: a line": [distance, functional, geometric, width],
    "02. Numbers: hulls": [bridge, optimal, to_hull],
    "03. Numbers: two weights at a time": [pair_step, fall, size],
    "04. Numbers: duality": [dual_value, gap, multiplier, midline],
    "05. Numbers: kernels": [gaussian, polynomial, feature_distance, machine, eigenvalue],
    "06. Numbers: slack": [slack, objective, reduced_end],
    "07. Numbers: the hinge loss": [slope, pegasos_step],
    "08. Numbers: SMO": [violation, bias, full_step, gain],
    "09. Numbers: practice": [standard_error, chance, cheapest, roc_area, prior_shift, trained],
    "10. Numbers: relatives": [machines, votes, tube, spectrum, nu_bound],
    "11. Numbers: margins": [left_out, shattered, labellings, corrections, novikoff],
    "12. Numbers: Newton's method": [ramp, rounded_loss, on_the_ramp, newton_step],
    "13. Numbers: many samples": [coordinate, effort],
    "14. Numbers: beyond one memory": [lower_bound, amdahl],
}
