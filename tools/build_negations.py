"""Write the rules that negate statements and that take negations away, for the preset `negation`.

Auxiliaries are written out here; for the verbs of `VERBS`, do-support follows from their forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salva.lexicon.inflections import inflect

DATA = Path(__file__).parents[1] / "src/salva/lexicon/data"
VERBS = """
accept add admire affect agree allow answer appeal appear appreciate approve arrive attract avoid become
begin believe belong bore buy capture carry catch cause change come compare complain connect consider
contain continue contribute convey convince cover create cry dare decide delight deliver depend describe
deserve destroy detract develop die disagree disappoint discover dislike disturb earn end engage enjoy
entertain escape exist expect explain explore express face fail fall feature feel fight find finish fit
flow focus follow forget forgive fulfill gain get give go grab grow happen hate hear help hide hit hold
hope hurt identify ignore imagine impress improve include insist inspire interest involve join keep kill
know lack last laugh lead learn leave let lie like listen live look lose love make manage marry match
matter mean meet mention mind miss need notice offer open overcome own pay perform pick play please
possess prefer present pretend prevent promise prove provide pull push reach read realize recall receive
recognize recommend reflect refuse regret relate release rely remain remember require resemble respect
return reveal rise risk ruin run save say scare see seem sell send serve share shine show sing sit sleep
smile solve sound speak spend stand start stay steal stick stop succeed suffer suggest suit support
surprise survive suspect take talk teach tell tend think touch travel trust try turn understand use wait
walk want waste watch win wish wonder work worry write
"""
ASKING = "what,how,where,why,when,whatever,whoever,here,there,^,as,than,so,neither,nor,to,like"
# Adverbs that a negation may stand before; before others it reads oddly.
ADVERBS = "very,so,really,too,well,particularly,especially,as,that,totally,completely,entirely,enough,worth"
END = "COMMA,.,!,?,:,),''"
PRONOUNS = "it,he,she,they,we,you,i,this,that,there,these,those"
LATER = "not,n't,some,little,bit,rather,quite,also,still,already,just,only"
# A clause after one of these is not what its sentence states: after I finish it, the more I watch it.
EARLIER = (
    "as,than,whatever,whoever,neither,not,to,how,of,by,after,before,until,since,once,when,while,more,less,"
    "wish,glad"
)
BE = ("is", "are", "was", "were")
BE_TAGS = "JJ,JJR,JJS,DT,VBG,VBN,IN,PRP$"
MODALS = {"can": ("cannot", "can't"), "could": ("could not", "couldn't"), "will": ("will not", "won't"),
          "would": ("would not", "wouldn't"), "should": ("should not", "shouldn't")}  # fmt: skip
HAVE = ("has", "have", "had")
NO_HAVE = "to,would,could,should,might,must,may,will,'d,'ll,can,not,n't,never,could,ca,wo"
SHORT = {
    "it 's": "it is not", "he 's": "he is not", "she 's": "she is not", "that 's": "that is not",
    "i 'm": "I am not", "they 're": "they are not", "we 're": "we are not", "you 're": "you are not",
}  # fmt: skip
SHORT_VERBS = {
    "i 've": ("I have not", "VBN"), "they 've": ("they have not", "VBN"), "we 've": ("we have not", "VBN"),
    "you 've": ("you have not", "VBN"), "i 'll": ("I will not", "VB"), "you 'll": ("you will not", "VB"),
    "they 'll": ("they will not", "VB"), "he 'll": ("he will not", "VB"), "she 'll": ("she will not", "VB"),
    "it 'll": ("it will not", "VB"),
}  # fmt: skip
ONLY = (
    "only,just,merely,simply,even,that,exactly,necessarily,quite,"
    "so,really,too,as,surprisingly,because,entirely"
)


def negations() -> Iterator[str]:
    """Yield the rules that negate statements."""
    yield "# Statements and their negations; made by tools/build_negations.py."
    yield "x always > never | prev! as,not,n't,almost,nearly,^; next! COMMA,."
    yield "x everyone > no one | nexttag VBZ,VBD,MD; prev! not,almost,nearly,for,to,with"
    yield "x everybody > nobody | nexttag VBZ,VBD,MD; prev! not,almost,nearly,for,to,with"
    yield "x everything > nothing | nexttag VBZ,VBD,MD; prev! not,almost,nearly,for,to,with,of"
    for verb in BE:
        guard = f"prev! {ASKING}; next2! {LATER}"
        after = f"nexttag {BE_TAGS}; next! {END},{PRONOUNS},{LATER},all"
        yield f"x {verb} > {verb} not / {verb}n't | {after}; {guard}"
        yield f"x {verb} > {verb} not / {verb}n't | next {ADVERBS}; nexttag RB,IN,JJ; {guard}"
    for modal, targets in MODALS.items():
        yield f"x {modal} > {' / '.join(targets)} | nexttag VB; prev! {ASKING}; next2! {LATER}; next! {LATER}"
    for verb in HAVE:
        guard = f"prev! {ASKING},{NO_HAVE}; next2! {LATER}"
        yield f"x {verb} > {verb} not / {verb}n't | nexttag VBN; next! got; {guard}"
    for short, target in SHORT.items():
        guard = f"next2! {LATER},time; prev! {ASKING.replace('^,', '').replace('so,', '')},if"
        yield f"x {short} > {target} | nexttag JJ,DT,VBG,PRP$,IN; next! {LATER},all,like; {guard}"
        yield f"x {short} > {target} | next {ADVERBS}; nexttag RB,JJ; {guard}"
    for short, (target, tag) in SHORT_VERBS.items():
        guard = f"next! got,bet,admit,say; next2! {LATER}; prev! as,than,if"
        yield f"x {short} > {target} | nexttag {tag}; {guard}"
    for verb in VERBS.split():
        yield from _negate(verb)


def _negate(verb: str) -> Iterator[str]:
    guard = f"prev2! {EARLIER}; next! by,{END},{LATER},so; next2! {LATER}"
    for tag, do, subject in (
        ("VBZ", "does", "PRP,NN,NNP,WP"),
        ("VBD", "did", "PRP,WP,NNP"),
        ("VBP", "do", "PRP,NNS"),
    ):
        form = (inflect(verb, tag) or (verb,))[0]
        me = "; prev! me,him,us,them,her" if tag != "VBZ" else ""
        yield f"x {form} > {do} not {verb} / {do}n't {verb} | tag {tag}; prevtag {subject}{me}; {guard}"


def affirmations() -> Iterator[str]:
    """Yield the rules that take negations away."""
    yield "# Negated statements and what they deny; made by tools/build_negations.py."
    perfect = "ever,almost,have,has,had,'ve,'d,'s,^"
    yield f"x never > always | nexttag VBZ,VBD,VBP,VB; prev! {perfect}; next! seen,mind"
    yield "x no one > everyone | nexttag VBZ,VBD,MD; prev! like"
    yield "x nobody > everybody | nexttag VBZ,VBD,MD; prev! like"
    yield "x nothing > everything | nexttag VBZ,VBD,MD; prev! is,was,'s,there,be,or,and,of,like"
    yield "x none of > all of | prev! is,was,'s,second,^"
    yield "x without a > with a | next! doubt,question,hitch,trace; nexttag NN,JJ"
    for verb in (*BE, "has", "have", "had", "could", "would", "should"):
        tags = "VB" if verb in ("could", "would", "should") else "VBN" if verb[0] == "h" else f"{BE_TAGS},RB"
        idiom = ",care,agree,help,stand,wait,ask,go,want,recommend" if tags == "VB" else ""
        guard = f"next! {END},{PRONOUNS},{ONLY}{idiom}; prev! ^,if,why,what,how; nexttag {tags}"
        yield f"x {verb} n't > {verb} | {guard}"
        yield f"x {verb} not > {verb} | {guard}"
    for negative, modal in (("ca n't", "can"), ("can not", "can"), ("wo n't", "will"), ("will not", "will")):
        guard = "nexttag VB; next! help,wait,stand,even,go,say,remember; prev! ^,if,why,what,how"
        yield f"x {negative} > {modal} | {guard}"
    for verb in VERBS.split():
        yield from _affirm(verb)


def _affirm(verb: str) -> Iterator[str]:
    for do, tag, subject in (("does", "VBZ", "PRP,NN,NNP,WP,WDT"), ("did", "VBD", "PRP,NN,NNP,NNS,WP,WDT"),
                             ("do", "VBP", "PRP,NNS,WP")):  # fmt: skip
        form = (inflect(verb, tag) or (verb,))[0]
        guard = f"prevtag {subject}; next! that,me"
        yield f"x {do} n't {verb} > {form} | {guard}"
        yield f"x {do} not {verb} > {form} | {guard}"


def main() -> None:
    """Write both files."""
    for name, rules in (("negations", negations()), ("affirmations", affirmations())):
        (DATA / f"{name}.txt").write_text("".join(f"{rule}\n" for rule in rules), "utf-8")


if __name__ == "__main__":
    main()
