"""The gate between the stages: do pans, zooms and rotations go where they were sent? Seconds, before hours are spent."""
import torch

import photos
from asks import MOVES, Ask, Part, plain_sentence
from batches import given
from diffusion import Sampler, sample_in_chunks
from draws import Draws
from kernels import working_type
from model import channels_last_weights
from motion import mattes
from scenes import draw_scenes
from trackers import does


def tracked_moves(model, each=8, steps=8):
    """-> the share of `each` clips per move, on scenes that training has not seen, that pass the tracker."""
    device = next(model.parameters()).device
    model = channels_last_weights(model).to(working_type(device)).eval()
    draws = Draws(2024, device)
    held_out = photos.stack(photos.HELD_OUT) if photos.available() else None
    n = each * len(MOVES)
    scene = draw_scenes(draws, n, held_out)
    asks = [Ask(plain_sentence(MOVES[i // each]), (Part("camera", MOVES[i // each]),)) for i in range(n)]
    shown = given(scene, asks, mattes(scene, asks, draws))
    found = sample_in_chunks(model, shown, draws.normal(n, 8, 8, 8, 16), Sampler(steps=steps)).float().cpu()
    aspect = torch.exp2(scene["log2_aspect"]).tolist()
    return sum(does(found[i], MOVES[i // each], aspect=aspect[i]) for i in range(n)) / n
