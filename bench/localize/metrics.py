"""The figures of the benchmark are those of ``citator eval locate``: one definition of each."""

from citator.service.measures import Placed, calibration, figures, wilson

__all__ = ["Placed", "calibration", "figures", "wilson"]
