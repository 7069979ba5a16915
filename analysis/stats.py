"""Statistics for anybody's counts: intervals, differences, many comparisons, tests, ratings.

Every function says when to use it, and where its formula comes from. They take plain numbers, so
they work on the counts of any simulation or experiment.
"""

from .intervals import Interval, mean_interval, quantile, wilson, z_value
from .multiple import benjamini_hochberg, bonferroni_level, holm
from .paired import Difference, paired_difference, smallest_effect, unpaired_difference
from .proportions import clopper_pearson, difference_p, newcombe
from .ratings import (
    Ranking,
    Worths,
    elo,
    plackett_luce,
    rating_covariance,
    score_contributions,
)
from .sequential import confidence_sequence, look_counts, mean_sequence
from .sprt import Sprt, decide, log_likelihood_ratio, sprt_looks

__all__ = [
    "Difference",
    "Interval",
    "Ranking",
    "Sprt",
    "Worths",
    "benjamini_hochberg",
    "bonferroni_level",
    "clopper_pearson",
    "confidence_sequence",
    "decide",
    "difference_p",
    "elo",
    "holm",
    "log_likelihood_ratio",
    "look_counts",
    "mean_interval",
    "mean_sequence",
    "newcombe",
    "paired_difference",
    "plackett_luce",
    "quantile",
    "rating_covariance",
    "score_contributions",
    "smallest_effect",
    "sprt_looks",
    "unpaired_difference",
    "wilson",
    "z_value",
]
