"""Model sources, requests, and the studies that execute them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .identification.identification import Identification
    from .identification.identify import identify
    from .identification.measurement import Measurement
    from .model_reading import ModelFile, built_in, read_model, read_model_text
    from .piles.pile import Pile
    from .piles.pile_motion import PileMotion
    from .sources import ModelSource, find_model
    from .study import Study
    from .sweeps.entry.indices import morris_indices, sobol_indices
    from .sweeps.entry.objective import Objective, objective
    from .sweeps.entry.study_sweep import over_of_texts, swept_study
    from .sweeps.entry.sweep import sweep
    from .sweeps.questions.motion_questions import at_end, at_times, extremes
    from .sweeps.questions.stability_questions import orbit_values, spectrum, steady_values
    from .sweeps.stored.sweep_result import SweepResult, load_sweep

__all__ = [  # noqa: RUF022  (in order of flow)
    "ModelFile", "built_in", "read_model", "read_model_text", "ModelSource", "find_model", "Study",
    "sweep", "SweepResult", "load_sweep", "at_times", "at_end", "extremes", "spectrum", "steady_values", "orbit_values",
    "swept_study", "over_of_texts",
    "sobol_indices", "morris_indices", "objective", "Objective",
    "identify", "Measurement", "Identification",
    "Pile", "PileMotion",
]  # fmt: skip

offer(__name__)
