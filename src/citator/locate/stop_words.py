"""English words that say nothing about where an issue belongs."""

from __future__ import annotations

_WORDS = """
a about above actual after again all also although always am an and any are as at be because
been before behavior behaviour being below between both bug but by can cannot could currently
describe description did didn do does doesn doing don done down during each either else even
ever every example expected few following for from further get gets getting give given go goes
going got had has have having he hello her here hers hi him his how however i if in instead into
is isn issue it its itself just like likely made make makes many may maybe me might more most
much must my need needs neither never no nor not now of off on once one only or other our out
over own perhaps please problem quite rather really reproduce result same say says see seem
seems shall she should since so some steps still such take than thank thanks that the their them
then there therefore these they thing things think this those though through thus to too under
until up upon us use used using version very via want was wasn way we well were what when where
whether which while who whom why will with within without won would yes yet you your
"""
STOP_WORDS = frozenset(_WORDS.split())
