"""From a field to frames: what the engine's pipeline does, in torch, for sheets and for tests against it.
frame_f(p) = photo(p + d_f(p)). Without a matte the frames show a window of the photo such that no sample falls
outside it; with a matte the moved thing is composited over a background in which it has been filled in.
"""
import torch
from torch.nn import functional as F

SIDE_MOST, SIDE_LEAST = 0.95, 0.60


def positions(height, width, device=None):
    """Centres of pixels in 0..1 -> x [1, 1, width], y [1, height, 1]"""
    x = (torch.arange(width, device=device) + 0.5) / width
    y = (torch.arange(height, device=device) + 0.5) / height
    return x.view(1, 1, width), y.view(1, height, 1)


def field_at(field, x, y):
    """The field [f, 2, g, g] at positions x, y [h, w] in 0..1, bicubic, constant beyond its border. -> [f, 2, h, w]"""
    grid = torch.stack([x * 2 - 1, y * 2 - 1], -1)[None].expand(len(field), -1, -1, -1)
    return F.grid_sample(field, grid, mode="bicubic", padding_mode="border", align_corners=False)


def samples(field, middle, side, height, width):
    """Where in the photo each pixel of each frame looks: [f, h, w] twice."""
    x, y = positions(height, width)
    x, y = (middle[0] + (x - 0.5) * side).expand(1, height, width)[0], (middle[1] + (y - 0.5) * side).expand(1, height, width)[0]
    d = field_at(field, x, y)
    return x + d[:, 0], y + d[:, 1]


def window(field):
    """The largest window (middle, side) all of whose samples stay in the photo; frame 0, which does not move, among them."""
    still = torch.cat([torch.zeros_like(field[:1]), field])
    middle = [0.5 - 0.5 * float(still[:, i].mean((1, 2)).max() + still[:, i].mean((1, 2)).min()) for i in range(2)]
    side = SIDE_MOST
    while side > SIDE_LEAST:
        inside = [max(min(m, 1 - side / 2), side / 2) for m in middle]
        sx, sy = samples(still, inside, side, 33, 33)
        if min(float(sx.min()), float(sy.min())) >= 0 and max(float(sx.max()), float(sy.max())) <= 1:
            break
        side -= 0.01
    return inside, side - 0.01  # the samples between the 33 x 33 that were tried bulge a little further


def look(photo, sx, sy, mode="bicubic"):
    grid = torch.stack([sx * 2 - 1, sy * 2 - 1], -1)
    out = F.grid_sample(photo.expand(len(sx), -1, -1, -1), grid, mode=mode, padding_mode="border", align_corners=False)
    return out.clamp(0, 1)


def fill(photo, known):
    """Push-pull: photo [1, 3, h, w] where known [1, 1, h, w] is 1, a smooth guess elsewhere."""
    if min(photo.shape[2:]) <= 1:
        return photo
    count = F.avg_pool2d(known, 2, ceil_mode=True)
    low = F.avg_pool2d(photo * known, 2, ceil_mode=True) / count.clamp(min=1e-4)
    low = fill(low, (count * 4).clamp(max=1))
    rough = F.interpolate(low, photo.shape[2:], mode="bilinear", align_corners=False)
    return photo * known + (1 - known) * rough


def animate(photo, field, matte=None):
    """photo [1, 3, h, w], field [f, 2, g, g], matte [1, 1, h, w] or None -> frames [f + 1, 3, h, w], the first one still."""
    height, width = photo.shape[2:]
    still = torch.cat([torch.zeros_like(field[:1]), field])
    if matte is None:
        middle, side = window(field)
        return look(photo, *samples(still, middle, side, height, width))
    sx, sy = samples(still, (0.5, 0.5), 1.0, height, width)
    moved, cover = look(photo, sx, sy), look(matte, sx, sy, "bilinear")
    reach = max(3, height // 64 * 2 + 1)
    hole = F.max_pool2d((matte > 0.05).float(), reach, 1, reach // 2)
    return cover * moved + (1 - cover) * fill(photo, 1 - hole)
