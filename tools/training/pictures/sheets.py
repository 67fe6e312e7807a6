"""Sheets of what the engine draws with the bundled models, for docs/sheets.md. Nothing is chosen: they are the first sentences of
SEED that were never trained on, as words.draw_scenes gives them, and sentence i is drawn by seed i.

    python3 sheets.py ../../../docs/images --ringway ../../../build/bin/ringway

scenes-student and scenes-teacher show the same sentences, COLUMNS in a row; a row of scenes-styles is a style, the first none;
scenes-edges has what the control network was given above what was drawn of it, the edges of the sentence's true picture.
Prints the sentences, in the order of the sheets.
"""
import argparse
import os
import tempfile

import numpy as np
import torch
from PIL import Image

import painter
import styles
import words
from evaluate import SEED, draw, held_sentences

COLUMNS, ROWS = 6, 4
QUALITY = 86


def sheet(path, rows):
    """Rows of pictures [n, 3, side, side] in bytes, one above the other."""
    tiles = [np.concatenate(list(row.permute(0, 2, 3, 1).numpy()), 1) for row in rows]
    Image.fromarray(np.concatenate(tiles)).save(path, quality=QUALITY)
    print(path, os.path.getsize(path) // 1024, "KB", flush=True)


def following_edges(given, texts, scenes):
    """Of each sentence the edges of its true picture, and what is drawn of them."""
    truth, _ = painter.Painter(np.random.default_rng(SEED))(scenes)
    edges = (styles.edges(truth) * 255).byte()
    drawn = []
    with tempfile.TemporaryDirectory() as folder:
        for i, (text, lines) in enumerate(zip(texts, edges)):
            file = os.path.join(folder, f"{i}.png")
            Image.fromarray(lines.permute(1, 2, 0).numpy()).save(file)
            drawn.append(draw(given, [text], "--control", "edges", "--control-image", file)[0])
    return edges, torch.stack(drawn)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--ringway", required=True)
    given = options.parse_args()
    scenes, texts = held_sentences(ROWS * COLUMNS)
    pictures = {}
    for name, given.model in (("teacher", "scenes-teacher"), ("student", "scenes")):
        pictures[name] = draw(given, texts)
        sheet(f"{given.out}/scenes-{name}.webp", pictures[name].split(COLUMNS))
    styled = [draw(given, texts[:COLUMNS], "--lora", style) for style in styles.STYLES]
    sheet(f"{given.out}/scenes-styles.webp", [pictures["student"][:COLUMNS], *styled])
    sheet(f"{given.out}/scenes-edges.webp", following_edges(given, texts[:COLUMNS], scenes[:COLUMNS]))
    print(*(f"{i + 1}. {text}" for i, text in enumerate(texts)), sep="\n")


if __name__ == "__main__":
    main()
