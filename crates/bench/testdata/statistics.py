#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes statistics.json: samples, and what SciPy says of them.

    python3 statistics.py > statistics.json        (Debian: python3-scipy)

`medians` has scipy.stats.bootstrap's percentile intervals (95 %, 200,000 resamples);
`permutations` has scipy.stats.permutation_test's exact p of each question, and the step-down maxT
correction (Westfall and Young 1993, box 4.1) of its null distributions, which SciPy flips together.
"""

import json
import sys

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(20240229)


def sample(kind, size):
    return {
        "log-normal": lambda: numpy.exp(random.normal(0, 0.3, size)),
        "heavy tails": lambda: 10 + random.standard_t(2, size),
        "ties": lambda: random.integers(1, 5, size).astype(float),
        "two modes": lambda: random.choice([1.0, 3.0], size) + random.normal(0, 0.05, size),
    }[kind]()


def median_of(kind, size):
    values = sample(kind, size).round(4)
    interval = stats.bootstrap(
        (values,), numpy.median, n_resamples=200_000, batch=20_000, method="percentile",
        random_state=random,
    ).confidence_interval
    return {
        "kind": kind,
        "values": values.tolist(),
        "median": float(numpy.median(values)),
        "low": float(interval.low),
        "high": float(interval.high),
    }


def t(one, other, axis):
    difference = one - other
    rounds = difference.shape[axis]
    mean, deviation = difference.mean(axis), difference.std(axis, ddof=1)
    return numpy.abs(mean) / (deviation / rounds**0.5)


def permutation_of(kind, questions, rounds, effect):
    one = numpy.array([sample(kind, rounds) for _ in range(questions)])
    one[0] += effect
    differences = one.round(4) - 2
    test = stats.permutation_test(
        (differences, numpy.zeros_like(differences)), t, permutation_type="samples",
        alternative="greater", axis=-1, n_resamples=numpy.inf, vectorized=True,
    )
    null = numpy.asarray(test.null_distribution).reshape(-1, questions)
    order = numpy.argsort(-test.statistic)
    corrected, least = numpy.empty(questions), 0.0
    for place, question in enumerate(order):
        greatest = null[:, order[place:]].max(axis=1)
        least = max(least, (greatest >= test.statistic[question] * (1 - 1e-9)).mean())
        corrected[question] = least
    return {
        "kind": kind,
        "differences": differences.round(4).tolist(),
        "single": test.pvalue.tolist(),
        "corrected": corrected.tolist(),
    }


medians = [
    median_of(kind, size)
    for kind in ("log-normal", "heavy tails", "ties", "two modes")
    for size in (6, 7, 10, 15, 24)
]
permutations = [
    permutation_of(kind, questions, rounds, effect)
    for kind in ("log-normal", "heavy tails")
    for questions, rounds, effect in ((1, 7, 1), (3, 6, 1), (5, 8, 0.5), (8, 10, 0.3), (4, 12, 1))
]
json.dump(
    {"scipy": scipy.__version__, "medians": medians, "permutations": permutations},
    sys.stdout,
    indent=1,
)
print()
