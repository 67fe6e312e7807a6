"""Contact sheets: rows are pictures, columns are frames 0 to 16 of the animation, one sheet per prompt.

    python3 sheets.py MODEL OUT                  # on the project's own drawings; may be committed
    python3 sheets.py MODEL OUT --photos         # on held-out photographs; never committed

Look at them: the trackers do not see everything.
"""
import argparse
import os

import torch
from PIL import Image
from torch.nn import functional as F

import photos
import settings as S
import vocabulary
from diffusion import sample
from draws import Draws
from drawings import DRAWINGS, as_tensor, balloon_matte
from evaluate import load, sampler_of
from export import add_sampler_options
from warp import animate

PROMPTS = {
    "pan": ("pan left", "pan up"), "zoom": ("zoom in", "zoom out quickly"), "rotate": ("rotate left", "rotate right slowly"),
    "sway": ("the trees sway", "everything sways"),
    "wave": ("the water waves", "the picture waves sideways", "the picture waves up and down"),
    "pulse": ("the picture pulses", "the picture pulses quickly"), "drift": ("the clouds drift left", "the picture drifts right"),
    "alive": ("the scene comes alive", "zoom in slowly while the trees sway"),
}
PHOTO_PROMPTS = {**PROMPTS, "sway": ("everything sways", "the rocket sways"), "drift": ("the picture drifts right",),
                 "wave": PROMPTS["wave"][1:], "alive": ("zoom in slowly while the picture waves",)}
COLUMNS = (0, 3, 6, 9, 12, 16)


def shown(picture, prompt, matte=None):
    area = lambda t: F.interpolate(t, (S.PICTURE, S.PICTURE), mode="area")
    one = torch.ones(1)
    return dict(picture=area(picture), matte=torch.zeros(1, 1, S.PICTURE, S.PICTURE) if matte is None else area(matte),
                log2_aspect=torch.log2(torch.tensor([picture.shape[3] / picture.shape[2]])),
                ids=torch.tensor([vocabulary.encode(prompt)]), picture_given=one, text_given=one, matte_given=one * (matte is not None))


def frames_of(model, how, picture, prompt, seed, matte=None):
    noise = Draws(seed).normal(1, S.PACKED_FRAMES, S.PACKED_GRID, S.PACKED_GRID, S.PACKED_CHANNELS)
    field = sample(model, shown(picture, prompt, matte), noise, how, Draws(1000 * seed))[0].float()
    return animate(picture, field, matte)


def row(frames, thumb):
    height = round(thumb * frames.shape[2] / frames.shape[3])
    small = F.interpolate(frames[list(COLUMNS)], (height, thumb), mode="area")
    return (small.permute(2, 0, 3, 1).reshape(height, -1, 3) * 255 + 0.5).byte()


def write(rows, path):
    width = max(r.shape[1] for r in rows)
    image = Image.fromarray(torch.cat([F.pad(r, (0, 0, 0, width - r.shape[1], 0, 3), value=255) for r in rows]).numpy())
    image.save(path, **({"quality": 82} if path.endswith(".webp") else {}))
    print(path, os.path.getsize(path) // 1024, "KB", flush=True)


def pictures_for(use_photos):
    if not use_photos:
        return {name: as_tensor(make()) for name, make in DRAWINGS.items()}
    found = {}
    for name in photos.HELD_OUT:
        width, height = photos.size(name)
        scale = 384 / max(width, height)
        found[name] = photos.read(name, round(width * scale), round(height * scale))[None]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--photos", action="store_true")
    add_sampler_options(parser)
    parser.add_argument("--thumb", type=int, default=144)
    parser.add_argument("--kind", default="webp", choices=("webp", "png"))
    parser.add_argument("--only")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    model, how = load(options.model), sampler_of(options)
    pictures = pictures_for(options.photos)
    for name, prompts in (PHOTO_PROMPTS if options.photos else PROMPTS).items():
        if options.only and name not in options.only.split(","):
            continue
        made = (frames_of(model, how, p, prompt, 11 + k) for prompt in prompts for k, p in enumerate(pictures.values()))
        write([row(frames, options.thumb) for frames in made], os.path.join(options.out, f"{name}.{options.kind}"))
    if not options.photos and (not options.only or "region" in options.only):
        picture, matte = as_tensor(DRAWINGS["balloon"]()), as_tensor(balloon_matte())
        prompts = ("the balloon moves up", "the balloon sways", "the balloon rotates left", "the balloon pulses")
        rows = [row(frames_of(model, how, picture, prompt, 21, matte), options.thumb) for prompt in prompts]
        write(rows, os.path.join(options.out, f"region.{options.kind}"))


if __name__ == "__main__":
    main()
