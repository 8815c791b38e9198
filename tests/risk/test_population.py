"""Estimates of population uniqueness on populations that are known."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.risk import population_uniques


def pitman(people, alpha, theta, random):
    """Class of each person, drawn by Pitman's urn."""
    of_person = np.zeros(people, dtype=np.int64)
    classes = 1
    draws = random.random(people)
    for n in range(1, people):
        if draws[n] * (n + theta) < theta + classes * alpha:
            of_person[n] = classes
            classes += 1
            continue
        while (
            True
        ):  # a class by its size less alpha: someone at random, kept with (size - a) / size
            other = of_person[random.integers(n)]
            size = np.count_nonzero(of_person[:n] == other) if alpha else 1
            if random.random() * size < size - alpha:
                of_person[n] = other
                break
    return of_person


def sampled(of_person, fraction, random):
    drawn = random.permutation(of_person.size)[: round(fraction * of_person.size)]
    return np.bincount(of_person[drawn])


def uniques(of_person):
    return int(np.count_nonzero(np.bincount(of_person) == 1))


@pytest.mark.parametrize(("alpha", "theta"), [(0.3, 60.0), (0.6, 40.0)])
@pytest.mark.parametrize("fraction", [0.1, 0.3])
def test_pitman_is_near_the_truth_on_its_own_populations(alpha, theta, fraction):
    errors = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        everyone = pitman(6000, alpha, theta, random)
        _, found = population_uniques(sampled(everyone, fraction, random), fraction)
        errors.append(found.uniques / uniques(everyone) - 1)
    assert abs(np.mean(errors)) < 0.25


def gamma_errors(fraction):
    """How far off both estimators are on populations whose classes have gamma shares."""
    errors = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        share = random.gamma(0.4, size=6000)
        everyone = random.choice(6000, size=20_000, p=share / share.sum())
        found = population_uniques(sampled(everyone, fraction, random), fraction)
        errors.append([part.uniques / uniques(everyone) - 1 for part in found])
    return np.mean(errors, axis=0)


@pytest.mark.parametrize("fraction", [0.6, 0.9])
def test_zayatz_is_near_the_truth_for_large_samples(fraction):
    assert abs(gamma_errors(fraction)[0]) < 0.2


def test_for_small_samples_zayatz_errs_on_the_careful_side():
    assert gamma_errors(0.1)[0] > 0


def test_the_share_is_that_of_sample_rows_unique_in_both():
    sizes = np.array([1] * 30 + [2] * 10 + [5] * 4)
    for found in population_uniques(sizes, 0.25):
        assert found.share == pytest.approx(found.uniques / (70 / 0.25))
        assert found.share * 70 == pytest.approx(found.given_sample_unique * 30)
        assert 0 < found.given_sample_unique < 1


@pytest.mark.parametrize(("sizes", "share"), [([3, 4], 0.0), ([1, 1, 1], 1.0)])
def test_the_ends(sizes, share):
    zayatz, pitman_ = population_uniques(np.array(sizes), 0.5)
    assert pitman_.share == share
    assert zayatz.share == share


def test_the_whole_population_is_its_own_truth():
    zayatz, _ = population_uniques(np.array([1, 1, 2, 3]), 1.0)
    assert zayatz.uniques == pytest.approx(2)
