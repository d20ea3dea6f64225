"""Makes the data sets of this folder and, with independent tools, the ratings expected of them.

Run once by hand: python3 make.py   (versions: see README.md). Nothing here is shared with arena.
"""
import csv, math, random
import choix
import numpy as np
from scipy.optimize import minimize

ELO = 400 / math.log(10)


def play(rng, d, side, draw, bias):
    """Result of one game for the first seat: Davidson draws on the logit d + side + bias."""
    x = (d + side + bias) / ELO
    w, n, l = math.exp(x / 2), draw, math.exp(-x / 2)
    u = rng.random() * (w + n + l)
    return "1-0" if u < w else "1/2-1/2" if u < w + n else "0-1"


def field(name, elos, rounds, *, side=0.0, draw=0.7, swapped=True, skip=0.0, seed=1):
    rng = random.Random(seed)
    rows, pair = [], 0
    for _ in range(rounds):
        for i in range(len(elos)):
            for j in range(i + 1, len(elos)):
                if rng.random() < skip:
                    continue
                pair += 1
                bias = rng.gauss(0, 60)
                seats = [(i, j), (j, i)] if swapped else [rng.choice([(i, j), (i, j), (j, i)])]
                for a, b in seats:
                    rows.append((f"bot{a}", f"bot{b}", play(rng, elos[a] - elos[b], side, draw, bias), pair))
    with open(f"{name}.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["first", "second", "result", "pair"])
        writer.writerows(rows)
    return len(elos), rows


POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def by_choix(n, rows):
    """Maximum likelihood of choix on half wins: counts are doubled so that draws are whole."""
    wins = np.zeros((n, n))
    for first, second, result, _ in rows:
        i, j, s = int(first[3:]), int(second[3:]), POINTS[result]
        wins[i, j] += s
        wins[j, i] += 1 - s
    lam = choix.lsr_pairwise_dense(wins, alpha=0.0, initial_params=None)
    for _ in range(200):
        lam = choix.lsr_pairwise_dense(wins, alpha=0.0, initial_params=lam)
    return (lam - lam.mean()) * ELO


def by_scipy(n, rows, side):
    """Direct maximisation of the likelihood, game by game, by BFGS and then Newton-CG."""
    i = np.array([int(r[0][3:]) for r in rows])
    j = np.array([int(r[1][3:]) for r in rows])
    s = np.array([POINTS[r[2]] for r in rows])

    def value(x):
        z = x[i] - x[j] + (x[n] if side else 0.0)
        return np.sum(s * np.logaddexp(0, -z) + (1 - s) * np.logaddexp(0, z)) + 1e-3 * x[:n].mean() ** 2

    def slope(x):
        z = x[i] - x[j] + (x[n] if side else 0.0)
        r = 1 / (1 + np.exp(-z)) - s
        g = np.zeros(n + 1)
        np.add.at(g, i, r)
        np.add.at(g, j, -r)
        g[n] = r.sum() if side else 0.0
        g[:n] += 2e-3 * x[:n].mean() / n
        return g

    x = minimize(value, np.zeros(n + 1), jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}).x
    x = minimize(value, x, jac=slope, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-10}).x
    return (x[:n] - x[:n].mean()) * ELO, x[n] * ELO


def margins(n, rows, elo, gamma):
    """95 % margins by the formulas of STATISTICS.md section 4, game by game with numpy's pseudo-inverse.

    `gamma` is None where the side advantage is not fitted. Against the mean of all; the last is that of gamma.
    """
    size = n + 1
    h, m = np.zeros((size, size)), np.zeros((size, size))
    theta, g = np.append(elo / ELO, 0.0), (gamma or 0.0) / ELO
    clusters, pairings, expected = {}, {}, 0.0
    for first, second, result, pair in rows:
        i, j = int(first[3:]), int(second[3:])
        x = np.zeros(size)
        x[i], x[j], x[n] = 1, -1, gamma is not None
        p = 1 / (1 + math.exp(-(theta[i] - theta[j] + g)))
        h += p * (1 - p) * np.outer(x, x)
        clusters[pair] = clusters.get(pair, 0) + (POINTS[result] - p) * x
        entry = pairings.setdefault((min(i, j), max(i, j)), [set(), 0, 0.0])
        entry[0].add(pair)
        entry[1] += 1
        entry[2] += p * (1 - p)
        expected += p / len(rows)
    for u in clusters.values():
        m += np.outer(u, u)
    per_bot = [sum(len(c) for (i, j), (c, _, _) in pairings.items() if bot in (i, j)) for bot in range(n)]
    for (i, j), (c, games, variance) in pairings.items():
        x = np.zeros(size)
        x[i], x[j] = 1, -1
        w = len(c) / max(per_bot[i], per_bot[j])
        m += w * (games / len(c)) ** 2 * variance / games * np.outer(x, x)
    if gamma is not None:
        m[n, n] += expected * (1 - expected)
    inverse = np.linalg.pinv(h, rcond=1e-12)
    v = inverse @ m @ inverse
    t = np.eye(size)
    t[:n, :n] -= 1 / n
    v = t @ v @ t.T
    return 1.959963984540054 * ELO * np.sqrt(np.diag(v))


def write(name, columns):
    with open(f"{name}.expected.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", *columns])
        names = [f"bot{k}" for k in range(len(next(iter(columns.values()))))]
        for k, bot in enumerate(names):
            writer.writerow([bot, *(f"{column[k]:.6f}" for column in columns.values())])


for name, (n, rows) in {
    "eight": field("eight", [210, 150, 100, 30, -20, -80, -150, -240], 10, side=30, seed=8),
    "forty": field("forty", [15 * (20 - k) for k in range(40)], 3, side=50, skip=0.5, seed=40),
    "three": field("three", [40, 0, -60], 4, draw=0.2, seed=3),
    "one_sided": field("one_sided", [120, 60, 0, -20, -60, -100], 40, side=70, swapped=False, seed=6),
}.items():
    choix_elo = by_choix(n, rows)
    scipy_elo, _ = by_scipy(n, rows, side=False)
    with_side, gamma = by_scipy(n, rows, side=True)
    assert np.abs(choix_elo - scipy_elo).max() < 1e-3, (name, np.abs(choix_elo - scipy_elo).max())
    margin = margins(n, rows, scipy_elo, None)
    margin_side = margins(n, rows, with_side, gamma)
    write(name, {
        "choix": choix_elo, "scipy": scipy_elo, "margin": margin[:n],
        "scipy_side": with_side, "margin_side": margin_side[:n], "side": [gamma] * n, "side_margin": [margin_side[n]] * n,
    })
    print(name, len(rows), "games, side", round(gamma, 3))
