"""Judges what the engine draws: sentences that were never trained on, by `ringway generate`, one picture each.

    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --sentences 200 --model scenes --sheet sheet.png
    python3 evaluate.py CODER --ringway ../../../build/bin/ringway --sentences 50 --lora sketch sepia mosaic

CODER is the folder in which coder.py left the judge. The sheet shows the first 24 sentences, as they come.
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

SHEET = (4, 6)


def draw(given, texts, *more):
    """[n, 3, side, side] in bytes."""
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for seed, text in enumerate(texts):
            path = os.path.join(folder, "picture.png")
            subprocess.run([given.ringway, "generate", "--model", given.model, "-p", text, "--seed", str(seed), "-o", path, *more],
                           check=True, stdout=subprocess.DEVNULL)
            pictures.append(torch.from_numpy(np.array(Image.open(path).convert("RGB"))).permute(2, 0, 1))
    return torch.stack(pictures)


def sheet(path, pictures):
    rows, columns = SHEET
    tiles = pictures[:rows * columns].permute(0, 2, 3, 1).numpy()
    Image.fromarray(np.concatenate([np.concatenate(list(tiles[r * columns:(r + 1) * columns]), 1) for r in range(rows)])).save(path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("coder")
    options.add_argument("--ringway", required=True)
    options.add_argument("--model", default="scenes")
    options.add_argument("--sentences", type=int, default=200)
    options.add_argument("--more", default="", help="further options of ringway generate")
    options.add_argument("--lora", nargs="*", default=[])
    options.add_argument("--sheet")
    given = options.parse_args()
    rng = np.random.default_rng(77)
    scenes = words.draw_scenes(rng, given.sentences, held=True)
    texts = [words.sentence(rng, scene, unsaid=0.0) for scene in scenes]
    reader = everything.load(judge.Judge(), f"{given.coder}/judge.safetensors", "cpu", torch.float32)
    pictures = draw(given, texts, *given.more.split())
    judge.table(f"{given.model} {given.more}".strip(), judge.right(reader, pictures, scenes, torch.float32))
    if given.sheet:
        sheet(given.sheet, pictures)
    truth, _ = painter.Painter(rng)(scenes)
    for name in given.lora:
        before, after = styles.measure(name, pictures / 255), styles.measure(name, draw(given, texts, "--lora", name, *given.more.split()) / 255)
        styled = styles.measure(name, styles.STYLES[name](truth))
        moved = lambda to: ((to.mean() - before.mean()) / before.std()).item()
        print(f"style {name}: {moved(after):.1f} deviations, true pictures in this style {moved(styled):.1f}", flush=True)


if __name__ == "__main__":
    main()
