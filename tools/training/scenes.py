"""Layered scenes whose parts are known: sky, hills, land, water, things that stand on a foot, an object; or a plain picture.
A scene is a dictionary of tensors [n, ...]: `picture` [n, 3, 64, 64] in 0..1, and at the resolution of the field [n,
1, 16, 16] what motion depends on: where each part is (`water`, `sky`, `land`, `stand`, `object`, 0..1, soft), the
foot and the height of what stands near each column (`foot`, `tall`), how far a camera's move shifts each cell
(`parallax`), and `object_mask` [n, 1, 64, 64]. Everything is computed for all pictures of a batch and chosen by
masks, so it runs on a GPU as it does on a CPU.
"""
import math

import torch
from torch.nn import functional as F

import settings as S
from textures import coloured_noise, photo_crops, surface

THINGS = 4
EDGE = 0.010  # softness of an edge, in widths


def cell_centres(side, device):
    g = (torch.arange(side, device=device) + 0.5) / side
    return g.view(1, 1, 1, side), g.view(1, 1, side, 1)


def soft(distance):
    """1 where the signed distance is positive."""
    return torch.sigmoid(distance / (EDGE / 2))


def over(below, paint, mask):
    return below + (paint - below) * mask


def _blur(x, passes):
    for _ in range(passes):
        x = F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    return x


def to_grid(x, passes=1):
    """[n, 1, 64, 64] -> [n, 1, 16, 16], softened: a motion that stops, stops gradually."""
    return _blur(F.avg_pool2d(x, S.PICTURE // S.GRID), passes)


def _profile(draws, n, amplitude):
    """A ragged skyline over x, zero mean. -> [n, 1, 1, 64]"""
    line = coloured_noise(draws, n, 1, S.PICTURE, 1.2, 2.0)[:, :, :1]
    return line * amplitude


class Layout:
    """Where the large parts of a landscape are: rows of the horizon and of a shore."""

    def __init__(self, draws, n):
        landscape = draws.chance(0.72, n, 1, 1, 1)
        has_sky = draws.chance(0.85, n, 1, 1, 1)
        self.landscape = landscape
        self.horizon = draws.uniform(0.22, 0.62, n, 1, 1, 1) * has_sky - 0.2 * (1 - has_sky)
        kind = draws.uniform(0, 1, n, 1, 1, 1)  # land alone, water alone, water before land
        self.wet = (kind > 0.4).float()
        room = 1 - self.horizon.clamp(min=0)
        shore = self.horizon.clamp(min=0) + room * draws.uniform(0.35, 0.8, n, 1, 1, 1)
        self.shore = torch.where(kind > 0.68, shore, torch.full_like(shore, 1.3))
        flat = torch.maximum(self.wet, draws.chance(0.4, n, 1, 1, 1))
        self.skyline = self.horizon + _profile(draws, n, draws.uniform(0.0, 0.03, n, 1, 1, 1)) * (1 - flat)
        self.shoreline = self.shore + _profile(draws, n, draws.uniform(0.0, 0.03, n, 1, 1, 1))
        peak = draws.uniform(0.02, 0.14, n, 1, 1, 1) * draws.chance(0.5, n, 1, 1, 1)
        self.hilltop = self.skyline - peak * (1 + 0.5 * _profile(draws, n, 1.0)).clamp(min=0)


def _thing_mask(draws, n, kind, x, y, x0, foot, height):
    """A tree, a pole, a bush or a figure."""
    h = (foot - y) / height  # 0 at the foot, 1 at the top
    within = soft(torch.minimum(foot - y, y - (foot - height)))
    lean = draws.uniform(-0.08, 0.08, n, 1, 1, 1) * height * h
    dx = x - x0 - lean
    trunk = soft(height * draws.uniform(0.02, 0.06, n, 1, 1, 1) + 0.004 - dx.abs()) * within
    ry = draws.uniform(0.22, 0.4, n, 1, 1, 1)
    rx = draws.uniform(0.18, 0.4, n, 1, 1, 1)
    crown = soft((1 - torch.sqrt((dx / (rx * height)) ** 2 + ((h - 1 + ry) / ry) ** 2 + 1e-9)) * rx * height)
    tree = torch.maximum(trunk, crown)
    width = draws.uniform(0.03, 0.09, n, 1, 1, 1) * (1.25 - 0.5 * h)
    pole = soft(height * width + 0.004 - dx.abs()) * within
    bush = soft((1 - torch.sqrt((dx / (0.45 * height)) ** 2 + ((h - 0.5) / 0.5) ** 2 + 1e-9)) * 0.45 * height)
    body = soft((1 - torch.sqrt((dx / (0.16 * height)) ** 2 + ((h - 0.4) / 0.42) ** 2 + 1e-9)) * 0.16 * height)
    head = soft((1 - torch.sqrt((dx / (0.1 * height)) ** 2 + ((h - 0.88) / 0.12) ** 2 + 1e-9)) * 0.1 * height)
    shapes = torch.stack([tree, pole, bush, torch.maximum(body, head)])
    return shapes.gather(0, kind.view(1, n, 1, 1, 1).expand(1, n, 1, *shapes.shape[3:]))[0]


def _object_mask(draws, n, x, y):
    """A blob, box or ellipse near the middle: a radius that varies with the angle. -> mask, its middle"""
    cx, cy = draws.uniform(0.3, 0.7, n, 1, 1, 1), draws.uniform(0.35, 0.7, n, 1, 1, 1)
    radius = draws.uniform(0.12, 0.28, n, 1, 1, 1)
    dx, dy = (x - cx) * draws.uniform(0.8, 1.6, n, 1, 1, 1), y - cy
    angle = torch.atan2(dy, dx + 1e-9)
    bend = torch.ones_like(angle)
    for k in range(1, 5):
        bend = bend + draws.normal(n, 1, 1, 1) * (0.14 / k) * torch.cos(k * angle + draws.uniform(0, 2 * math.pi, n, 1, 1, 1))
    blob = soft(radius * bend - torch.sqrt(dx**2 + dy**2 + 1e-9))
    box = soft(radius * 0.85 - torch.maximum(dx.abs(), dy.abs()))
    return torch.where(draws.chance(0.3, n, 1, 1, 1) > 0, box, blob)


class Builder:
    """Paints layer over layer and keeps the parts' masks."""

    def __init__(self, draws, n, photos, photo_share=0.35):
        self.d, self.n, self.photos, self.share = draws, n, photos, photo_share
        self.x, self.y = cell_centres(S.PICTURE, draws.device)
        zero = torch.zeros(n, 1, S.PICTURE, S.PICTURE, device=draws.device)
        self.parts = {name: zero for name in ("water", "sky", "land", "stand", "object")}
        self.depth = zero + 1.0
        self.picture = None

    def paint(self, name, stretch=1.0, share=None):
        return surface(self.d, self.n, S.PICTURE, name, self.photos, self.share if share is None else share, stretch)

    def cover(self, paint, mask, part=None, depth=None):
        self.picture = over(self.picture, paint, mask)
        self.parts = {k: v * (1 - mask) for k, v in self.parts.items()}
        if part:
            self.parts[part] = self.parts[part] + mask
        if depth is not None:
            self.depth = over(self.depth, depth, mask)

    def backdrop(self):
        """A landscape, or a plain picture: a photograph, a texture."""
        d, lay = self.d, Layout(self.d, self.n)
        on = lay.landscape
        self.layout = lay
        ground = 0.55 + 0.65 * (self.y - lay.horizon.clamp(min=0)) / (1 - lay.horizon.clamp(min=0))
        self.ground = ground.clamp(min=0.5)
        self.picture = self.paint("any", share=0.0)
        if self.photos is not None:
            crop = photo_crops(d, self.photos, self.n, S.PICTURE)
            self.picture = torch.where(d.chance(0.75, self.n, 1, 1, 1) > 0, crop, self.picture)
        self.cover(self.paint("sky", 2.0, 0.1), on, "sky", torch.full_like(ground, 0.4))
        self.cover(self.paint("hill"), on * soft(self.y - lay.hilltop), None, torch.full_like(ground, 0.5))
        below = on * soft(self.y - lay.skyline)
        self.cover(self.paint("water", 4.0, 0.1), below * lay.wet, "water", self.ground)
        land = below * torch.maximum(1 - lay.wet, soft(self.y - lay.shoreline))
        self.cover(self.paint("land", 1.3, 0.5), land, "land", self.ground)

    def stand(self):
        """Things, far ones first. -> foot and height near each column [n, 1, 1, 64]"""
        d, n, lay = self.d, self.n, self.layout
        dry = torch.where(lay.wet * (lay.shore < 1.2) > 0, lay.shore, lay.horizon.clamp(min=0))
        weight = torch.full((n, 1, 1, S.PICTURE), 1e-6, device=d.device)
        foot_sum, tall_sum = weight * 1.0, weight * 0.9
        allowed = lay.landscape * torch.maximum(1 - lay.wet, (lay.shore < 1.2).float())
        for i in range(THINGS):
            foot = dry + 0.03 + (0.97 - dry) * (i + d.uniform(0, 1, n, 1, 1, 1)) / THINGS
            near = ((foot - dry) / (1 - dry + 1e-3)).clamp(0, 1)
            height = (0.15 + 0.45 * near) * d.uniform(0.6, 1.2, n, 1, 1, 1)
            height = torch.minimum(height, foot - 0.02)
            x0, on = d.uniform(0.06, 0.94, n, 1, 1, 1), d.chance(0.5, n, 1, 1, 1) * allowed
            mask = on * _thing_mask(d, n, d.integers(0, 4, n), self.x, self.y, x0, foot, height)
            at = (0.55 + 0.65 * (foot - lay.horizon.clamp(min=0)) / (1 - lay.horizon.clamp(min=0))).expand_as(mask)
            self.cover(self.paint("plant"), mask, "stand", at)
            w = on * torch.exp(-((self.x - x0) / (0.05 + 0.25 * height)) ** 2)
            weight, foot_sum, tall_sum = weight + w, foot_sum + w * foot, tall_sum + w * height
        return foot_sum / weight, tall_sum / weight

    def place_object(self):
        d, n = self.d, self.n
        mask = _object_mask(d, n, self.x, self.y) * d.chance(0.5, n, 1, 1, 1)
        paint = self.paint("any")
        area = mask.sum((2, 3), keepdim=True).clamp(min=1)
        gap = ((paint - self.picture) * mask).sum((2, 3), keepdim=True) / area
        too_alike = (gap.abs().amax(1, keepdim=True) < 0.12).float()
        paint = (paint + too_alike * 0.3 * (1 - 2 * (paint.mean((1, 2, 3), keepdim=True) > 0.5).float())).clamp(0, 1)
        self.cover(paint, mask, "object", torch.full_like(mask, 1.0) * self.ground.amax(2, keepdim=True) * 0.85)
        return mask


def draw_scenes(draws, n, photos=None):
    build = Builder(draws, n, photos)
    build.backdrop()
    foot, tall = build.stand()
    mask = build.place_object()
    lens = draws.uniform(0, 1, n, 1, 1, 1)
    picture = torch.where(lens < 0.25, _blur(build.picture, 1), build.picture)
    picture = picture + draws.normal(n, 3, S.PICTURE, S.PICTURE) * draws.uniform(0, 0.03, n, 1, 1, 1)
    gain, lift = draws.uniform(0.75, 1.2, n, 1, 1, 1), draws.uniform(-0.1, 0.1, n, 1, 1, 1)
    landscape = build.layout.landscape
    columns = lambda v: F.avg_pool2d(v, (1, S.PICTURE // S.GRID)).repeat(1, 1, S.GRID, 1)
    scene = {name: to_grid(part) for name, part in build.parts.items()}
    scene.update(
        picture=((picture - 0.5) * gain + 0.5 + lift).clamp(0, 1), object_mask=mask,
        foot=columns(foot), tall=columns(tall).clamp(min=0.1),
        parallax=to_grid(torch.where(landscape > 0, build.depth, torch.ones_like(build.depth))),
        log2_aspect=draws.uniform(-0.8, 0.8, n) * draws.chance(0.6, n))
    return scene
