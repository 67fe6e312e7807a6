"""What can be asked for: targets, verbs, speeds; how asks are drawn for a scene; and the sentences that say them.
An Ask has one or two Parts. Drawing looks at what the scene holds (nobody asks for water to wave where there is
none). The sentences have synonyms, and a share of an object's nouns are words outside the vocabulary, so that any
noun works.
"""
from dataclasses import dataclass

TARGETS = ("camera", "whole", "water", "sky", "stand", "grass", "object", "alive")
MOVES = ("left", "right", "up", "down", "in", "out", "roll_left", "roll_right")
VERBS = MOVES + ("sway", "wave", "wave_x", "wave_y", "pulse", "drift_left", "drift_right", "alive")
SPEEDS = ("", "slow", "quick")

# What may be asked of a target, with weights: what repeats in time is harder to learn and drawn oftener.
OFFERS = {
    "camera": {verb: 1 for verb in MOVES},
    "whole": {"sway": 4, "wave": 1.5, "wave_x": 3, "wave_y": 3, "pulse": 2, "drift_left": 0.7, "drift_right": 0.7,
              "roll_left": 0.3, "roll_right": 0.3},
    "water": {"wave": 1, "wave_x": 1, "wave_y": 1},
    "sky": {"drift_left": 1, "drift_right": 1},
    "stand": {"sway": 1},
    "grass": {"sway": 1, "wave": 0.5, "wave_x": 0.5},
    "object": {**{verb: 0.6 for verb in MOVES}, "sway": 2, "wave": 0.7, "wave_x": 0.7, "wave_y": 0.7, "pulse": 2,
               "drift_left": 0.5, "drift_right": 0.5},
    "alive": {"alive": 1},
}
PARTS_OF_SCENE = {"water": "water", "sky": "sky", "stand": "stand", "grass": "land"}


@dataclass(frozen=True)
class Part:
    target: str
    verb: str
    speed: str = ""


@dataclass(frozen=True)
class Ask:
    text: str
    parts: tuple
    matte: str = ""  # "", or the part of the scene whose mask is given: object, water, sky, stand, land, spot


def _pick(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


def _speed(rng):
    return rng.choices(SPEEDS, (2, 1, 1))[0]


def draw_ask(rng, holds, stage):
    """rng: random.Random; holds: the names of the parts that the scene has; stage: 1 (moves and sway only) or 2."""
    if stage == 1:
        part = Part(*rng.choices((("camera", rng.choice(MOVES)), ("whole", "sway"), ("whole", "pulse")), (6, 1, 1))[0], _speed(rng))
        return Ask(sentence(rng, (part,)), (part,))
    content = [t for t, name in PARTS_OF_SCENE.items() if name in holds]
    kind = rng.random()
    if kind < 0.15:
        matte = rng.choice([name for name in ("object", "water", "stand", "sky", "land") if name in holds] + ["spot"])
        if "object" in holds and rng.random() < 0.5:
            matte = "object"
        part = Part("object", _pick(rng, OFFERS["object"]), _speed(rng))
        noun = {"land": "grass", "spot": "object"}.get(matte, matte)
        return Ask(sentence(rng, (part,), noun if rng.random() < 0.6 else "object"), (part,), matte)
    if kind < 0.19 and "object" in holds:
        part = Part("object", _pick(rng, OFFERS["object"]), _speed(rng))
        return Ask(sentence(rng, (part,)), (part,))
    if kind < 0.25 and {"water", "sky", "stand"} & set(holds):
        part = Part("alive", "alive", _speed(rng))
        return Ask(sentence(rng, (part,)), (part,))
    if kind < 0.42 and content:
        target = rng.choice(content)
        part = Part(target, _pick(rng, OFFERS[target]), _speed(rng))
        return Ask(sentence(rng, (part,)), (part,))
    first = Part("camera", rng.choice(MOVES), _speed(rng))
    if kind < 0.50:
        other = rng.choice(content) if content and rng.random() < 0.75 else "whole"
        verbs = {v: w for v, w in OFFERS[other].items() if v not in ("roll_left", "roll_right")}
        parts = (first, Part(other, _pick(rng, verbs), _speed(rng)))
        return Ask(sentence(rng, parts), parts)
    part = first if kind < 0.60 else Part("whole", _pick(rng, OFFERS["whole"]), _speed(rng))
    return Ask(sentence(rng, (part,)), (part,))


def draw_one_of(rng, holds, offers):
    """offers: (target, verb, weight); of those for which the scene holds something. None if it does for none of them."""
    content = {"alive": {"water", "sky", "stand"}, "object": {"object"}, **{t: {name} for t, name in PARTS_OF_SCENE.items()}}
    fitting = {(target, verb): weight for target, verb, weight in offers if target not in content or content[target] & set(holds)}
    if not fitting:
        return None
    part = Part(*_pick(rng, fitting), _speed(rng))
    return Ask(sentence(rng, (part,)), (part,))


# ---------------------------------------------------------------- sentences
ADVERBS = {"": ("",), "slow": ("slowly", "gently", "softly"), "quick": ("quickly", "fast", "rapidly")}
NOUNS = {
    "whole": ("the picture", "the image", "the photo", "the scene", "everything", "the whole picture"),
    "water": ("the water", "the sea", "the lake", "the river", "the ocean", "the pond"),
    "sky": ("the sky", "the clouds", "the cloud"),
    "stand": ("the trees", "the tree", "the plants", "the plant", "the flowers", "the flower", "the branches", "the leaves",
              "the reeds", "the bushes"),
    "grass": ("the grass", "the field", "the meadow", "the wheat", "the corn"),
    "object": ("the object", "the thing", "it", "the subject", "the boat", "the person", "the man", "the woman", "the cat",
               "the dog", "the bird", "the animal", "the face", "the cup", "the ball", "the balloon", "the flag", "the candle",
               "the car", "the statue", "the rocket", "the bottle", "the vase", "the toy", "the sign", "the house", "the head"),
}
CAMERA = {
    "left": ("pan left", "pan to the left", "the camera pans left", "the camera moves left",
             "camera slides to the left", "panning left"),
    "right": ("pan right", "pan to the right", "the camera pans right", "the camera moves right",
              "camera slides to the right", "panning right"),
    "up": ("pan up", "pan upwards", "the camera pans up", "the camera moves up", "camera tilts up", "panning up"),
    "down": ("pan down", "pan downwards", "the camera pans down", "the camera moves down", "camera tilts down", "panning down"),
    "in": ("zoom in", "the camera zooms in", "zooming in", "the camera moves closer", "the camera moves forward",
           "push in", "dolly in"),
    "out": ("zoom out", "the camera zooms out", "zooming out", "the camera pulls back", "the camera moves away",
            "pull out", "dolly out"),
    "roll_left": ("rotate left", "rotate the picture left", "the picture rotates left", "turn left", "rotate counterclockwise",
                  "the scene turns counterclockwise", "everything rotates left"),
    "roll_right": ("rotate right", "rotate the picture right", "the picture rotates right", "turn right", "rotate clockwise",
                   "the scene turns clockwise", "everything rotates right"),
}
SIDEWAYS = ("sideways", "from side to side", "horizontally", "left and right")
UPRIGHT = ("up and down", "vertically")
ROLLS = {"roll_left": ("rotates left", "turns left", "rotates counterclockwise", "spins counterclockwise"),
         "roll_right": ("rotates right", "turns right", "rotates clockwise", "spins clockwise")}
DOES = {
    "left": ("moves left", "moves to the left", "shifts left"), "right": ("moves right", "moves to the right", "shifts right"),
    "up": ("moves up", "moves upwards", "shifts up"), "down": ("moves down", "moves downwards", "shifts down"),
    "in": ("grows", "comes closer"), "out": ("shrinks", "moves away"), **ROLLS,
    "sway": ("sways", "is swaying", "swings", "bends in the wind", "sways in the wind", "sways in the breeze", "rocks"),
    "wave": ("waves", "is waving", "ripples", "undulates"),
    "pulse": ("pulses", "is pulsing", "beats", "breathes", "throbs"),
    "drift_left": ("drifts left", "drifts to the left", "floats left", "drift to the left"),
    "drift_right": ("drifts right", "drifts to the right", "floats right", "drift to the right"),
}
LIFE = ("the scene comes alive", "bring the picture to life", "animate the scene", "the picture comes to life", "make it alive",
        "bring it to life", "everything comes alive")
PLURAL = {"sways": "sway", "swings": "swing", "waves": "wave", "ripples": "ripple", "drifts": "drift", "floats": "float",
          "bends": "bend"}
STRANGE = ("gizmo", "lantern", "robot", "tower", "spoon", "chelsea", "astronaut", "kite", "teapot", "umbrella")


def _noun(rng, target):
    if target == "object" and rng.random() < 0.3:
        return "the " + rng.choice(STRANGE)
    return rng.choice(NOUNS[target])


def _clause(rng, part, noun_of):
    adverb = rng.choice(ADVERBS[part.speed])
    if part.target == "alive":
        words = rng.choice(LIFE)
    elif part.target == "camera":
        words = rng.choice(CAMERA[part.verb])
    else:
        verb = "wave" if part.verb in ("wave_x", "wave_y") else part.verb
        noun, does = _noun(rng, noun_of or part.target), rng.choice(DOES[verb])
        first, _, rest = does.partition(" ")
        if noun.endswith(("s", "leaves", "bushes")) and noun not in ("the grass", "the bus"):
            does = (PLURAL.get(first, "are" if first == "is" else first) + " " + rest).strip()
        if part.target == "whole" and rng.random() < 0.2:
            noun, does = "", (rest if first == "is" else PLURAL.get(first, first.rstrip("s")) + " " + rest).strip()
        axis = {"wave_x": rng.choice(SIDEWAYS), "wave_y": rng.choice(UPRIGHT)}.get(part.verb, "")
        words = " ".join(f"{noun} {does} {axis}".split())
    return f"{words} {adverb}".strip()


def sentence(rng, parts, noun_of=None):
    """The words for one or two parts; noun_of names another part's nouns (a matte says what is meant, the noun may not)."""
    clauses = [_clause(rng, part, noun_of) for part in parts]
    if len(clauses) == 2 and rng.random() < 0.3:
        clauses.reverse()
    return rng.choice((" while ", " and ", " as ")).join(clauses)


def plain_sentence(verb, target="camera", speed=""):
    """The first sentence of the grammar: for sheets and tables."""
    class First:
        def choice(self, items):
            return items[0]

        def random(self):
            return 1.0

    return sentence(First(), (Part(target, verb, speed),))
