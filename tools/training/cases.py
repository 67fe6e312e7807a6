"""Held-out clips for evaluation: drawn scenes whose textures training has not seen, and whole held-out photographs.
Each picture comes several times with other noise (and other draws of the truth), so that the variety of a model's
motion can be compared with the truth's own.
"""
import torch

import photos
import settings as S
from asks import MOVES, Ask, Part, plain_sentence
from batches import given
from draws import Draws
from motion import fields, mattes
from scenes import draw_scenes

WHOLE = ("sway", "wave_x", "wave_y", "pulse", "drift_left", "drift_right")
VERBS = MOVES + WHOLE


def target_of(verb):
    return "camera" if verb in MOVES else "whole"


def photo_scene(names):
    """Whole photographs as scenes of which nothing is known."""
    n, g = len(names), S.GRID
    pictures = torch.stack([photos.read(name, S.PICTURE, S.PICTURE) for name in names])
    blank, full = torch.zeros(n, 1, g, g), torch.ones(n, 1, g, g)
    aspects = [photos.size(name)[0] / photos.size(name)[1] for name in names]
    return dict(picture=pictures, object_mask=torch.zeros(n, 1, S.PICTURE, S.PICTURE), foot=full.clone(), tall=full.clone(),
                parallax=full, log2_aspect=torch.log2(torch.tensor(aspects)),
                **{name: blank.clone() for name in ("water", "sky", "land", "stand", "object")})


def rows(scene, index):
    return {k: v[index] for k, v in scene.items()}


def joined(scenes):
    return {k: torch.cat([s[k] for s in scenes]) for k in scenes[0]}


def held_out_scenes(n, seed):
    textures = photos.stack(photos.HELD_OUT) if photos.available() else None
    return draw_scenes(Draws(seed), n, textures)


class Clips:
    """Asks for scenes, what the model is shown, and a draw of the truth."""

    def __init__(self, scene, asks, seed):
        draws = Draws(seed)
        self.scene, self.asks = scene, asks
        self.matte = mattes(scene, asks, draws)
        self.truth = fields(scene, asks, self.matte, draws)
        self.shown = given(scene, asks, self.matte)
        self.noise = draws.normal(len(asks), S.PACKED_FRAMES, S.PACKED_GRID, S.PACKED_GRID, S.PACKED_CHANNELS)
        self.aspect = torch.exp2(scene["log2_aspect"]).tolist()

    def __len__(self):
        return len(self.asks)


def verb_clips(verb, pictures, repeats, speed="", seed=0):
    """`pictures` drawn scenes and the held-out photographs, each about `repeats` times. -> (Clips, index of the picture of each)"""
    scene = held_out_scenes(pictures, 4000 + seed)
    index = torch.arange(pictures).repeat_interleave(repeats)
    parts = [rows(scene, index)]
    if photos.available():
        again = max(1, pictures * repeats // len(photos.HELD_OUT))
        photo_index = torch.arange(len(photos.HELD_OUT)).repeat_interleave(again)
        parts.append(rows(photo_scene(photos.HELD_OUT), photo_index))
        index = torch.cat([index, photo_index + pictures])
    scene = joined(parts)
    ask = Ask(plain_sentence(verb, target_of(verb), speed), (Part(target_of(verb), verb, speed),))
    return Clips(scene, [ask] * len(index), 7000 + seed), index
