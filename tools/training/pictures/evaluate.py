"""Judges what the engine draws: sentences that were never trained on, by `ringway generate`, one picture each.
With several numbers of steps or strengths of guidance, a row for each pair; the styles are of the last.

    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --sentences 200 --model scenes
    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --sentences 50 --lora sketch sepia mosaic
    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --model scenes-teacher --steps 1 2 3 4 8 --guidance 1 3

    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --model scenes-teacher --guidance 1 1.5 3 --avoid hour weather

With --avoid: sentences that leave the attribute unsaid, each of its values in turn as the negative prompt; the share of pictures
that show another value, and of those that are right in all that was said.

CODER is the folder in which coder.py left the judge. To look at pictures: sheets.py.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np
import torch
from PIL import Image

import everything
import judge
import painter
import styles
import words

SEED = 77  # of the sentences


def held_sentences(n):
    """Scenes [n, 7] that were never trained on and a sentence of each, always the same ones."""
    rng = np.random.default_rng(SEED)
    scenes = words.draw_scenes(rng, n, held=True)
    return scenes, [words.sentence(rng, scene, unsaid=0.0) for scene in scenes]


def draw(given, texts, *more):
    """[n, 3, side, side] in bytes; sentence i by seed i, all by one process."""
    with tempfile.TemporaryDirectory() as folder:
        prompts = os.path.join(folder, "prompts.txt")
        with open(prompts, "w", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in texts)
        subprocess.run([given.ringway, "generate", "--json", "--model", given.model, "--prompts", prompts, "-o", folder, *more],
                       check=True, stdout=subprocess.DEVNULL)
        files = [os.path.join(folder, f"{line:04d}.png") for line in range(1, len(texts) + 1)]
        return torch.stack([torch.from_numpy(np.array(Image.open(file).convert("RGB"))).permute(2, 0, 1) for file in files])


def avoiding(given, reader, attribute, way):
    """[n] whether each picture shows another value than its negative prompt, [n] whether it is right in all that was said."""
    rng = np.random.default_rng(SEED)
    at, values = words.ATTRIBUTES.index(attribute), len(words.VALUES[attribute])
    avoided, right = [], []
    for value in range(values):
        scenes = words.draw_scenes(rng, given.sentences // values, held=True)
        texts = [words.sentence(rng, scene, unsaid=0.0, never=(attribute,)) for scene in scenes]
        pictures = draw(given, texts, "--negative", words.SAYINGS[attribute][value][0], *way)
        scenes[:, at] = value
        correct = judge.right(reader, pictures, scenes, torch.float32)
        avoided.append(~correct[:, at])
        right.append(correct[:, [i for i in range(len(words.ATTRIBUTES)) if i != at]].all(1))
    return torch.cat(avoided), torch.cat(right)


def ways(given):
    """Options of ringway generate, one list for each way to draw the sentences."""
    choices = [[["--steps", str(n)] for n in given.steps] or [[]], [["--guidance", str(g)] for g in given.guidance] or [[]]]
    return [steps + guidance + given.more.split() for steps in choices[0] for guidance in choices[1]]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("coder")
    options.add_argument("--ringway", required=True)
    options.add_argument("--model", default="scenes")
    options.add_argument("--sentences", type=int, default=200)
    options.add_argument("--steps", type=int, nargs="*", default=[], help="the model's own if not given")
    options.add_argument("--guidance", type=float, nargs="*", default=[], help="the model's own if not given")
    options.add_argument("--more", default="", help="further options of ringway generate")
    options.add_argument("--lora", nargs="*", default=[])
    options.add_argument("--avoid", nargs="*", default=[], choices=sorted(words.SAYINGS))
    given = options.parse_args()
    scenes, texts = held_sentences(given.sentences)
    reader = everything.load(judge.Judge(), f"{given.coder}/judge.safetensors", "cpu", torch.float32)
    for attribute in given.avoid:
        for way in ways(given):
            avoided, right = avoiding(given, reader, attribute, way)
            print(f"{' '.join([given.model, *way]):28s} avoids {attribute} {avoided.float().mean():.3f}, right in all else {right.float().mean():.3f}", flush=True)
    for way in ways(given) if not given.avoid else ():
        pictures = draw(given, texts, *way)
        judge.table(" ".join([given.model, *way]), judge.right(reader, pictures, scenes, torch.float32))
    truth, _ = painter.Painter(np.random.default_rng(SEED))(scenes)
    for name in given.lora:
        before, after = styles.measure(name, pictures / 255), styles.measure(name, draw(given, texts, "--lora", name, *ways(given)[-1]) / 255)
        styled = styles.measure(name, styles.STYLES[name](truth))
        moved = lambda to: ((to.mean() - before.mean()) / before.std()).item()
        print(f"style {name}: {moved(after):.1f} deviations, true pictures in this style {moved(styled):.1f}", flush=True)


if __name__ == "__main__":
    main()
