"""What a scene is made of, which sentences say it, and how a tokenizer in CLIP's layout numbers their words.

A scene is a row of whole numbers, one for each of ATTRIBUTES: an index into the list of the same name, `count` less one.
A tenth of all (thing, colour, place, hour) is held out: no picture of them is ever trained on.
"""
import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/engine/reference"))
from clip_tokenizer import END, START, Tokenizer, learned_merges  # noqa: E402

ATTRIBUTES = ("thing", "colour", "count", "side", "place", "hour", "weather")
VALUES = {
    "thing": ("house", "tree", "boat", "car", "balloon", "umbrella", "flower", "lighthouse", "kite"),
    "colour": ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white"),
    "count": ("one", "two", "three"),
    "side": ("left", "middle", "right"),
    "place": ("meadow", "beach", "sea", "desert", "snow", "city"),
    "hour": ("day", "dusk", "night"),
    "weather": ("clear", "cloudy", "rain"),
}
PLACES_OF = {
    "house": "meadow beach desert snow city", "tree": "meadow beach desert snow city", "boat": "sea",
    "car": "meadow beach desert snow city", "balloon": "meadow beach sea desert snow city",
    "umbrella": "meadow beach desert city", "flower": "meadow beach desert snow city",
    "lighthouse": "meadow beach sea snow", "kite": "meadow beach sea desert snow city",
}
NUMBERS = (("a", "one"), ("two",), ("three",))
SAYINGS = {
    "side": (("on the left", "to the left"), ("in the middle", "in the centre"), ("on the right", "to the right")),
    "place": (("on a meadow", "on green grass", "in a field"), ("on a beach", "on the sand by the water"),
              ("on the sea", "on the ocean"), ("in the desert", "among dunes"), ("in the snow", "in a snowy land"),
              ("in a city", "in the street of a town")),
    "hour": (("by day", "at noon", "in daylight"), ("at dusk", "at sunset", "in the evening"),
             ("at night", "in the dark", "by moonlight")),
    "weather": (("under a clear sky", "in clear weather"), ("under a cloudy sky", "with clouds"),
                ("in the rain", "in rainy weather")),
}
UNSAID = 0.1  # of the attributes in SAYINGS
POSITIONS = 32  # of the text encoder; the longest sentence has 24


def plural(thing):
    return thing + "es" if thing.endswith("x") else thing + "s"


def vocabulary():
    """All words that sentences are made of."""
    phrases = [*VALUES["thing"], *map(plural, VALUES["thing"]), *VALUES["colour"], *sum(NUMBERS, ())]
    phrases += [said for table in SAYINGS.values() for row in table for said in row]
    return sorted({word for phrase in phrases for word in phrase.split()})


def tokenizer():
    """One token a word: pairs are merged until every word of the vocabulary is whole."""
    return Tokenizer(learned_merges(" ".join(vocabulary()), most=1 << 16))


def allowed_places():
    """[things, places], where a thing may stand."""
    return np.array([[place in PLACES_OF[thing].split() for place in VALUES["place"]] for thing in VALUES["thing"]])


def held_out(scenes):
    """Of scenes [n, 7], which are never trained on. Multiplicative hashing, so that no value is favoured."""
    thing, colour, place, hour = (scenes[:, ATTRIBUTES.index(a)].astype(np.uint64) for a in ("thing", "colour", "place", "hour"))
    number = ((thing * 8 + colour) * 6 + place) * 3 + hour
    return (number * np.uint64(2654435761) % np.uint64(1 << 32)) * np.uint64(10) >> np.uint64(32) == 0


def draw_scenes(rng, n, held=False):
    """[n, 7]; all of them held out, or none."""
    allowed, kept, found = allowed_places(), [], 0
    while found < n:
        scenes = np.stack([rng.integers(0, len(VALUES[a]), 2 * n + 64) for a in ATTRIBUTES], 1)
        # The place is drawn among those where the thing may stand.
        weights = rng.random((len(scenes), len(VALUES["place"]))) * allowed[scenes[:, 0]]
        scenes[:, ATTRIBUTES.index("place")] = weights.argmax(1)
        scenes = scenes[held_out(scenes) == held]
        kept.append(scenes)
        found += len(scenes)
    return np.concatenate(kept)[:n]


def sentence(rng, scene, unsaid=UNSAID, never=()):
    """Each attribute of SAYINGS is left out by chance, and those of `never` always."""
    value = dict(zip(ATTRIBUTES, scene))
    pick = lambda options: options[rng.integers(len(options))]
    thing = VALUES["thing"][value["thing"]]
    head = [pick(NUMBERS[value["count"]]), VALUES["colour"][value["colour"]], thing if value["count"] == 0 else plural(thing)]
    rest = [pick(table[value[a]]) for a, table in SAYINGS.items() if rng.random() >= unsaid and a not in never]
    rng.shuffle(rest)
    return " ".join(head + rest)


class Sentences:
    """Numbers of sentences, [n, POSITIONS], filled up with the end's."""

    def __init__(self):
        self.tokens = tokenizer()
        self.numbers = {}
        for word in vocabulary():
            ids = self.tokens.encode(word)
            assert len(ids) == 3, f"{word} is {len(ids) - 2} pieces"
            self.numbers[word] = ids[1]
        self.start, self.end = self.tokens.numbers[START], self.tokens.numbers[END]

    def __call__(self, texts):
        rows = np.full((len(texts), POSITIONS), self.end, np.int64)
        rows[:, 0] = self.start
        for row, text in zip(rows, texts):
            ids = [self.numbers[word] for word in text.split()]
            row[1:1 + len(ids)] = ids
        return torch.from_numpy(rows)
