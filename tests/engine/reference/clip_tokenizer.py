"""CLIP's tokenizer by its definition, in plain Python: what engine/text/clip_tokenizer.cc is held to.

    python3 clip_tokenizer.py            writes ../golden/clip_tokens.json anew
    python3 clip_tokenizer.py --check    compares that file with what this code gives now

Byte-pair encoding after Sennrich et al. (arXiv:1508.07909, algorithm 1) on bytes, with the word pattern of CLIP's release:

    's|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+

The vocabulary is learned here, by counting pairs, from a few sentences in several scripts; the cases are sentences, corners and
random strings. Classes of characters come from Python's unicodedata, which knows nothing of the engine's tables. Two things are
left out on purpose, as the engine's header says: cleaning of broken text, and special tokens that a user types.
"""
import collections
import json
import os
import random
import sys
import unicodedata

START, END, LAST = "<|startoftext|>", "<|endoftext|>", "</w>"
CONTEXT = 77
MERGES = 260
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "clip_tokens.json")
# The property White_Space of Unicode.
SPACES = set(map(chr, [*range(9, 14), 32, 0x85, 0xa0, 0x1680, *range(0x2000, 0x200b), 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]))
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
CORPUS = """the boat sways gently while the grass waves in the wind. it's the cat's hat, isn't it? we'll zoom in slowly, they've said;
the trees and the water, the clouds and the hills: a slow pan to the left, then zoom out! 100 waves in 24 frames.
das Boot schaukelt sanft auf dem Wasser, über die Wellen; l'été, le bateau bouge. лодка качается на волнах, медленно.
το καράβι στη θάλασσα 水面の船 바다의 배 the the the zoom zoom boat boat water water slowly slowly"""


def byte_names():
    """Every byte as a character that prints, as GPT-2 has it."""
    kept = [*range(ord("!"), ord("~") + 1), *range(0xa1, 0xad), *range(0xae, 0x100)]
    names, extra = {}, 0
    for byte in range(256):
        names[byte] = chr(byte) if byte in kept else chr(256 + extra)
        extra += byte not in kept
    return names


NAMES = byte_names()


def lowered(text):
    """Character by character, where one character stays one."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def kind(c):
    if c in SPACES:
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(c)[0], "other")


def words(text):
    at, text = 0, lowered(text)
    while at < len(text):
        contraction = next((c for c in CONTRACTIONS if text.startswith(c, at)), None)
        end, what = at + 1, kind(text[at])
        if contraction:
            end = at + len(contraction)
        elif what in ("letter", "other"):
            while end < len(text) and kind(text[end]) == what:
                end += 1
        if what != "space":
            yield text[at:end]
        at = end


def symbols(word):
    parts = [NAMES[byte] for byte in word.encode("utf-8")]
    parts[-1] += LAST
    return tuple(parts)


def joined(parts, pair):
    result, i = [], 0
    while i < len(parts):
        if tuple(parts[i:i + 2]) == pair:
            result.append(parts[i] + parts[i + 1])
            i += 2
        else:
            result.append(parts[i])
            i += 1
    return tuple(result)


def learned_merges(corpus=CORPUS, most=MERGES):
    counts = collections.Counter(symbols(word) for word in words(corpus))
    merges = []
    while len(merges) < most:
        pairs = collections.Counter()
        for parts, count in counts.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        counts = collections.Counter({joined(parts, best): count for parts, count in counts.items()})
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        tokens = [*NAMES.values(), *(name + LAST for name in NAMES.values()), *("".join(pair) for pair in merges), START, END]
        self.numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}

    def encode(self, text, context=CONTEXT):
        ids = []
        for word in words(text):
            parts = symbols(word)
            while len(parts) > 1:
                pair = min(zip(parts, parts[1:]), key=lambda p: self.ranks.get(p, len(self.ranks)))
                if pair not in self.ranks:
                    break
                parts = joined(parts, pair)
            ids += [self.numbers[part] for part in parts]
        return [self.numbers[START], *ids[:context - 2], self.numbers[END]]  # the end token also fills the context


CORNERS = ["", " ", "\t\n\r\u00a0\u3000\u2028", "The BOAT sways Gently", "it's IT'S It'S 's 't're've'm'll'd", "''s !'s 'tis o'clock 'llama",
           "'", "''''''", "don't!!!?!...", "a_b-c/d\\e", "1234 ½ ² Ⅷ ٣٤ ४२", "x2y3z", "naïve café ÀÉÎÕÜ ß ẞ", "ÀÁ e\u0301 \u0301x",
           "Ωμέγα ДОМ ЁЖ", "水面の船がゆっくり", "배가 흔들린다", "👩\u200d🚀🌊🌊 ok", "\u200b\ufeff\u00ad", "zoom\u0000in", "a\u001cb\u0085c",
           "the " * 200, "水" * 100, "!" * 300, "the boat" * 60, "1" * 90, "K\u212a Å\u212b ǅ ᾈ", "\u1680x\u205fy\u202fz", "« quoted » „so“ ‘it’s’"]
PIECES = ["the", "boat", "Zoom", "SLOWLY", "in", "café", "ÜBER", "лодка", "Волна", "Θάλασσα", "船", "바다", "🌊", "👍🏽", "e\u0301", "'s", "'S", "'t", "'ll",
          "'VE", "'", "''", "it's", "WE'LL", "1", "24", "½", "٣", "!", "?!", "...", "--", "_", "<|", "|>", "\u00ad", "\u200d", "&amp;", "\\", "/", "%"]
GAPS = ["", "", " ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\u2009"]
RANGES = [(0x20, 0x7f), (0xa1, 0x17f), (0x370, 0x3ff), (0x400, 0x45f), (0x5d0, 0x5eb), (0x620, 0x64b), (0x904, 0x940), (0x2000, 0x2070),
          (0x2190, 0x2200), (0x3041, 0x3097), (0x4e00, 0x4f00), (0xac00, 0xad00), (0x1f300, 0x1f600)]


def cases():
    yield from CORNERS
    rng = random.Random(7)
    for _ in range(250):
        yield "".join(rng.choice(PIECES) + rng.choice(GAPS) for _ in range(rng.randint(1, 45)))
    for _ in range(150):
        drawn = (chr(rng.randrange(*rng.choice(RANGES))) for _ in range(rng.randint(1, 25)))
        yield "".join(c for c in drawn if unicodedata.category(c) != "Cn" and c not in "ς")


def golden():
    """The text of the golden file: a case a line, in ASCII."""
    merges = learned_merges()
    tokenizer = Tokenizer(merges)
    compact = json.JSONEncoder(separators=(",", ":")).encode
    lines = ",\n".join(compact({"prompt": text, "ids": tokenizer.encode(text)}) for text in cases())
    return (f'{{"vocabulary":{compact(tokenizer.numbers)},\n"merges":{compact([" ".join(pair) for pair in merges])},\n'
            f'"cases":[\n{lines}\n]}}\n')


def main():
    text = golden()
    if "--check" not in sys.argv:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(GOLDEN, encoding="utf-8") as file:
        same = file.read() == text
    print("same as this code gives" if same else f"{GOLDEN} is not what this code gives: write it anew")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
