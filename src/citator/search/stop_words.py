"""Words of a question that say nothing of what it is about.

- English: the words that ask are not searched for; the words that only join others are, at a
  fifth of the weight: of two passages that hold the rest, the one that says it alike is meant.
- Other languages: the same, but only where more of the question's words are of that language
  than of English, so that ``die`` and ``no`` stay English words in an English question.
- Acts (``drop``, ``choose``, ``change``) are searched for, but a corpus that tells of the same
  act with another verb is not silent on it: unknown, they count for little.
"""

from __future__ import annotations

from collections.abc import Iterable

_ASKING = """
am are arent be been being can cant come could couldnt did didnt do does doesnt done dont had
hadnt has hasnt have havent he her him his how hows i im is isnt it its ive lets may me might must
my our shall she should shouldnt that thats the their them there theres these they theyre this
those us was wasnt we were werent weve what whats when where whether which who whom whose why whys
will wont would wouldnt you your youre
"""

_JOINING = """
a about all also an and any as at both but by each else for from here if in into just no nor not
of off on onto only or other out over own s same so some such than then to too under up very with
without
"""

_OTHERS = {
    "es": """a al algo ante como con cual cuando cuándo cuál cómo de del desde donde dónde e el
        ella ellos en entre era es esa ese eso esta estaba estado este esto está están fue fueron
        ha había han hasta hay la las le les lo los mas me mi muy más ni no nos o para pero por
        porqué porque que quien quién qué se sea ser si sido sin sobre son su sus sí también te
        tiene toda todo tras tu u un una uno unos unas y ya""",
    "pt": """a ao aos as até com como da das de dela dele do dos e ela ele em entre era essa esse
        esta este está eu foi foram há isso isto já lhe mais mas me mesmo na nas nem no nos não o
        os ou para pela pelas pelo pelos por porque porquê qual quando que quem quê se sem ser seu
        seus são sua suas só também te tem um uma umas uns é à às""",
    "fr": """a au aux avec avons ce ceci cela celle ces cet cette chez comment c dans de des donc
        du d elle en est et eu fut il ils je j la le les leur leurs lors l mais me mes moi mon même
        n ne nos notre nous on ont ou où par pas pour pourquoi plus qu quand que quel quelle
        quelles quels qui quoi sa sans se ses si son sont sous sur s t ta te tes ton tu un une vos
        votre vous y à été être""",
    "de": """aber als am an auch auf aus bei beim bis da damit dann das dass dem den der des die
        dies diese diesem diesen dieser doch durch ein eine einem einen einer eines er es für hat
        hatte haben hier ich ihr im in ins ist ja kann kein keine man mehr mit nach nicht noch nun
        nur ob oder ohne seit sein seine sich sie sind so statt über um und uns unser unter vom von
        vor wann war waren warum was weil welche welchem welchen welcher wenn wer werden weshalb
        wie wieso wieder wir wird wo wurde wurden während zu zum zur""",
    "it": """a ad agli ai al alla alle anche c che chi ci come con cosa cui da dal dalla dalle dei
        del della delle di dove e ed era erano essere fu gli ha hanno i il in io l la le lo loro ma
        mi nel nella nelle no noi non o per perché perchè però più qual quale quali quando quella
        quelle quello questa queste questo se sei si sia siamo sono su sua sul sulla suo tra un una
        uno è""",
    "nl": """aan al als bij dan dat de deze die dit door een en er had hebben heeft het hij hoe
        ik in is kan maar met naar niet nog of om omdat ook op over te tot uit van voor waarom
        wanneer waren was wat we welke werd wie wij worden zijn zo zonder""",
}

_ACTS = """
abandon accept add adopt allow avoid ban become begin block bring build bump change choose
convert create cut deprecate decide decided decision delete deny disable discard ditch drop
enable end fix forbid get give go handle implement improve introduce keep kill land leave let
limit made make merge migrate move need permit pick prefer prevent put rather reason refactor
refuse reject release remove rename replace require restore retire revert rewrite run select set
ship skip split start stop support swap switch take thing turn update upgrade use want
"""

JOINING = frozenset(_JOINING.split())
ENGLISH = JOINING | frozenset(_ASKING.split())
OTHERS = {language: frozenset(words.split()) for language, words in _OTHERS.items()}
ACTS = frozenset(_ACTS.split())

MIN_WORDS = 2


def plain_form(word: str) -> str:
    """``word`` in lower case, without apostrophes and a possessive ending."""
    lower = word.lower().replace("’", "'")
    return lower.removesuffix("'s").replace("'", "")


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """The stop words that apply to a question of these lower-case ``words``."""
    distinct = set(words)
    english = len(distinct & ENGLISH)
    spoken = {language: len(distinct & stops) for language, stops in OTHERS.items()}
    most = max(spoken.values())
    if most < MIN_WORDS or most <= english:
        return ENGLISH
    return frozenset().union(*(OTHERS[one] for one, count in spoken.items() if count == most))
