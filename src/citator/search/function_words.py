"""English words that carry no content in a question, with the verbs of asking why.

They are where the function words of every other language land in the word space.
"""

from __future__ import annotations

_WORDS = """
a about above after again against all also am an and any are as at be because been before
being below between both but by can cannot cause could decide decided decision did do does
doing done down during each either else ever every few for from further get gets got had has
have having he her here hers him his how however i if in into is it its just like made make
makes many may me might more most much must my neither never no nor not now of off often on
once one only or other our out over own per perhaps please quite rather really reason same
shall she should since so some somebody something still such than that the their them then
there these they this those though through thus to too toward under until up upon us use used
using very via was we well were what whatever when where wherever whether which while who
whom whose why will with within without would yes yet you your
"""

FUNCTION_WORDS = frozenset(_WORDS.split())
