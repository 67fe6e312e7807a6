"""The bundled model's whole diffusion, small, by the code that trains it (tools/training), on hashed weights and inputs."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "training"))

import torch
from hash_weights import fill, tensor

import diffusion
import model
import settings
import vocabulary

SMALL = dict(channels=[32, 64], attends=[False, True], heads=[2, 4], text_channels=48, text_layers=1, text_heads=3,
             text_hidden=64, planes=16, picture_channels=[16, 24, 32], added_channels=16)
# A vocabulary of its own: that of the bundled model may grow.
NUMBERS = {"<pad>": 0, "<unk>": 1, "zoom": 7, "in": 5, "slowly": 9, "the": 3, "grass": 120, "sways": 255, "gently": 64}
PROMPT = "Zoom in SLOWLY, while the grass sways (gently) xyzzy"
REGION = (0.25, 0.125, 0.75, 0.875)
STEPS, IMAGE, TEXT = 3, 1.25, 1.5


def given():
    photo = ((tensor("photo", [64, 64, 3]) + 1.0) * 127.5).floor() / 255.0
    matte = torch.zeros(1, 1, 64, 64)
    left, top, right, bottom = (int(64 * side) for side in REGION)
    matte[:, :, top:bottom, left:right] = 1.0
    one = torch.ones(1)
    return dict(picture=photo.permute(2, 0, 1)[None], matte=matte, log2_aspect=torch.zeros(1), picture_given=one,
                matte_given=one, text_given=one, ids=torch.tensor([vocabulary.encode(PROMPT)]))


def packed_field():
    """-> configuration, names of all weights, the packed field [1, 8, 8, 8, 16]."""
    vocabulary.NUMBERS = NUMBERS
    net = model.MotionModel(settings.NetworkSettings.from_json(SMALL))
    names = []
    for part in net.COMPONENTS:
        names += fill(getattr(net, part))
    noise = tensor("noise", [1, settings.PACKED_FRAMES, settings.PACKED_GRID, settings.PACKED_GRID, settings.PACKED_CHANNELS])
    kept = {}
    diffusion.unpack = lambda packed: kept.setdefault("packed", packed)
    diffusion.unscaled = lambda field: field
    diffusion.sample(net, given(), noise, diffusion.Sampler(STEPS, IMAGE, TEXT))
    return dict(SMALL, vocabulary=NUMBERS, vocabulary_size=vocabulary.SIZE), sorted(names), kept["packed"]
