"""What surfaces look like: coloured noise, gradients, crops of photographs. Batched, on any device."""
import torch
from torch.nn import functional as F


def coloured_noise(draws, n, channels, side, low=1.0, high=2.4, stretch=1.0):
    """1/f^p noise of zero mean and unit deviation, p drawn per picture; stretch > 1 draws it out sideways. -> [n, c, s, s]"""
    fy = torch.fft.fftfreq(side, device=draws.device)[:, None]
    fx = torch.fft.rfftfreq(side, device=draws.device)[None]
    power = draws.uniform(low, high, n, 1, 1, 1)
    radius = torch.sqrt(fy**2 + (fx * stretch) ** 2) + 1.0 / side
    z = torch.fft.irfft2(torch.fft.rfft2(draws.normal(n, channels, side, side)) * radius**-power, s=(side, side))
    z = z - z.mean((2, 3), keepdim=True)
    return z / (z.std((2, 3), keepdim=True) + 1e-6)


def photo_crops(draws, photos, n, side):
    """Random squares of `photos` [k, 3, p, p], mirrored half the time, contrast and tint changed. -> [n, 3, side, side]"""
    which = draws.integers(0, len(photos), n)
    half = draws.uniform(0.3, 1.0, n)
    middle = [(draws.uniform(0, 1, n) * 2 - 1) * (1 - half) for _ in range(2)]
    zero = torch.zeros_like(half)
    mirror = 1 - 2 * draws.chance(0.5, n)
    affine = torch.stack([torch.stack([half * mirror, zero, middle[0]], 1), torch.stack([zero, half, middle[1]], 1)], 1)
    grid = F.affine_grid(affine, (n, 3, side, side), align_corners=False)
    crop = F.grid_sample(photos[which], grid, mode="bilinear", padding_mode="border", align_corners=False)
    grey = crop.mean(1, keepdim=True)
    tinted = draws.uniform(0, 0.4, n, 3, 1, 1) + grey * draws.uniform(0.3, 0.8, n, 3, 1, 1)
    crop = torch.where(draws.chance(0.4, n, 1, 1, 1) > 0, tinted, crop)
    return ((crop - 0.5) * draws.uniform(0.6, 1.3, n, 1, 1, 1) + 0.5 + draws.uniform(-0.15, 0.15, n, 1, 1, 1)).clamp(0, 1)


# Two colours per surface, as [low, high] bounds of red, green, blue; drawn apart, so that surfaces vary.
PALETTES = {
    "sky": ((0.35, 0.85), (0.5, 0.9), (0.65, 1.0)),
    "land": ((0.15, 0.6), (0.25, 0.65), (0.05, 0.35)),
    "water": ((0.05, 0.35), (0.25, 0.6), (0.35, 0.8)),
    "hill": ((0.2, 0.55), (0.25, 0.55), (0.2, 0.6)),
    "plant": ((0.05, 0.45), (0.2, 0.6), (0.02, 0.3)),
}
ANY = ((0.0, 1.0),) * 3


def colour(draws, n, palette, odd=0.3):
    """One colour each, of the palette or (in a share `odd`) any. -> [n, 3, 1, 1]"""
    u = draws.uniform(0, 1, n, 3)
    bounds = lambda p, k: torch.tensor([b[k] for b in p], device=draws.device)
    pick = lambda p: bounds(p, 0) + u * (bounds(p, 1) - bounds(p, 0))
    light = draws.uniform(0.6, 1.2, n, 1)
    return torch.where(draws.chance(odd, n, 1) > 0, u, (pick(palette) * light).clamp(0, 1))[:, :, None, None]


def surface(draws, n, side, name, photos, photo_share, stretch=1.0):
    """A surface of the named palette -> [n, 3, side, side] in 0..1."""
    palette = PALETTES.get(name, ANY)
    first = colour(draws, n, palette)
    second = (first + draws.uniform(-0.25, 0.25, n, 3, 1, 1)).clamp(0, 1)
    noise = coloured_noise(draws, n, 1, side, stretch=stretch) * draws.uniform(0.05, 0.5, n, 1, 1, 1) + 0.5
    slope = torch.linspace(0, 1, side, device=draws.device).view(1, 1, side, 1) - 0.5
    noise = (noise + slope * draws.uniform(-0.8, 0.8, n, 1, 1, 1)).clamp(0, 1)
    paint = first + (second - first) * noise
    if photos is None or photo_share == 0:
        return paint
    crop = photo_crops(draws, photos, n, side)
    mean = crop.mean((2, 3), keepdim=True)
    dyed = (first + (crop - mean) * draws.uniform(0.4, 1.0, n, 1, 1, 1)).clamp(0, 1)
    return torch.where(draws.chance(photo_share, n, 1, 1, 1) > 0, dyed, paint)
