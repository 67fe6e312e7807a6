"""The true motion of a scene for what was asked: backward displacement fields [n, 16 frames, 2, 16, 16].
frame_f(x, y) = picture(x + dx, y + dy); x in widths, y in heights. Camera's moves shift near things more than far
ones; water waves, what stands sways from its foot, the sky drifts, the rest stays. With a matte the motion of the
thing is continued smoothly over the whole plane (a field that breaks off at an edge is learnt far worse); without one
it fades out around the part that moves. Everything that the words leave open is drawn at random: strength, phase,
frequency, direction of travel.
"""
import math

import torch
from torch.nn import functional as F

import settings as S
from asks import TARGETS, VERBS
from scenes import cell_centres, soft, to_grid

REACH = 0.16  # displacements of an object's field far from the object level off at this


def column(values, device):
    return torch.tensor(values, device=device).view(-1, 1, 1, 1)


class Geometry:
    """Where the masks of a matte (or of the object) lie: middle, foot and height, [n, 1, 1, 1]."""

    def __init__(self, mask):
        side = mask.shape[-1]
        x, y = cell_centres(side, mask.device)
        total = mask.sum((2, 3), keepdim=True).clamp(min=1e-3)
        self.cx = (mask * x).sum((2, 3), keepdim=True) / total
        self.cy = (mask * y).sum((2, 3), keepdim=True) / total
        rows = mask.amax(3, keepdim=True) > 0.3
        low = torch.where(rows, y + 0.5 / side, torch.zeros_like(y)).amax(2, keepdim=True)
        high = torch.where(rows, y - 0.5 / side, torch.ones_like(y)).amin(2, keepdim=True)
        self.foot, self.tall = low, (low - high).clamp(min=0.1)


def mattes(scene, asks, draws):
    """The mask that goes with each ask, [n, 1, 64, 64]; zero where none is given."""
    n, side = len(asks), S.PICTURE
    x, y = cell_centres(side, draws.device)
    cx, cy = draws.uniform(0.25, 0.75, n, 1, 1, 1), draws.uniform(0.3, 0.75, n, 1, 1, 1)
    rx, ry = draws.uniform(0.1, 0.3, n, 1, 1, 1), draws.uniform(0.1, 0.3, n, 1, 1, 1)
    round_spot = soft((1 - torch.sqrt(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2)) * torch.minimum(rx, ry))
    box = soft(torch.minimum(rx - (x - cx).abs(), ry - (y - cy).abs()))
    spot = torch.where(draws.chance(0.5, n, 1, 1, 1) > 0, box, round_spot)
    layers = {"object": scene["object_mask"], "spot": spot}
    for name in ("water", "sky", "stand", "land"):
        layers[name] = F.interpolate(scene[name], size=side, mode="bilinear", align_corners=False)
    which = lambda name: column([float(a.matte == name) for a in asks], draws.device)
    return sum(which(name) * layer for name, layer in layers.items())


class Wanted:
    """One part of each ask as masks [n, 1, 1, 1]; rows without that part are all zero."""

    def __init__(self, parts, device, wave_axis):
        self.parts, self.device = parts, device
        free = self._verb("wave")
        self.wave_x = self._verb("wave_x") + free * wave_axis
        self.wave_y = self._verb("wave_y") + free * (1 - wave_axis)

    def _verb(self, *names):
        return column([float(p is not None and p.verb in names) for p in self.parts], self.device)

    def verb(self, *names):
        return self.wave_x if names == ("wave_x",) else self.wave_y if names == ("wave_y",) else self._verb(*names)

    def target(self, *names):
        return column([float(p is not None and p.target in names) for p in self.parts], self.device)

    def level(self, draws):
        """How fast or far, 0..1: the words narrow it."""
        bounds = {"": (0.0, 1.0), "slow": (0.0, 0.4), "quick": (0.6, 1.0)}
        rows = [bounds["" if p is None else p.speed] for p in self.parts]
        low, high = column([r[0] for r in rows], self.device), column([r[1] for r in rows], self.device)
        return low + (high - low) * draws.uniform(0, 1, len(rows), 1, 1, 1)


class PartMotion:
    """The displacement of one part of each ask."""

    def __init__(self, scene, wanted, given, around, draws):
        """given [n,1,1,1]: a matte is given; around: Geometry of the matte, or of the object."""
        self.scene, self.w, self.d, self.given = scene, wanted, draws, given
        self.n = n = len(wanted.parts)
        self.x, self.y = cell_centres(S.GRID, draws.device)
        self.t = ((torch.arange(S.FRAMES, device=draws.device) + 1) / S.FRAMES).view(1, S.FRAMES, 1, 1)
        self.q = wanted.level(draws)
        self.thing = wanted.target("object")
        middle = [draws.uniform(0.4, 0.6, n, 1, 1, 1) for _ in range(2)]
        self.cx = torch.where(self.thing > 0, around.cx, middle[0])
        self.cy = torch.where(self.thing > 0, around.cy, middle[1])
        self.around = around
        self.ease = self.t ** draws.uniform(0.8, 1.3, n, 1, 1, 1)
        self.omega = 2 * math.pi * (0.6 + 0.9 * self.q + draws.uniform(-0.08, 0.08, n, 1, 1, 1)).clamp(max=1.5)
        self.phase = draws.uniform(0, 2 * math.pi, n, 1, 1, 1)
        near = wanted.target("camera")
        self.parallax = near * scene["parallax"] + (1 - near)

    def swing(self, lag=0.0):
        """A sine in time, zero at time 0."""
        return torch.sin(self.omega * self.t + self.phase - lag) - torch.sin(self.phase - lag)

    def where(self):
        """How much of the motion each cell takes, 0..1."""
        w, s = self.w, self.scene
        thing = torch.where(self.given > 0, torch.ones_like(s["object"]), s["object"])
        alive = w.target("alive")
        place = (w.target("camera", "whole") + thing * self.thing + s["water"] * w.target("water")
                 + s["sky"] * w.target("sky") + s["stand"] * w.target("stand") + s["land"] * w.target("grass"))
        return place, alive

    def moves(self):
        w, d, thing = self.w, self.d, self.thing
        sign = 1 - 2 * thing  # a camera to the left looks further left; a thing to the left comes from further right
        step = (0.03 + (0.12 - 0.03 * thing) * self.q) * self.ease * sign * self.parallax
        u = step * (w.verb("right") - w.verb("left"))
        v = step * (w.verb("down") - w.verb("up"))
        boost = 1 + 0.5 * thing
        zoom_in, zoom_out = w.verb("in"), w.verb("out")
        beat = boost * d.uniform(0.03, 0.09, self.n, 1, 1, 1) * self.swing()
        log_scale = (zoom_in * torch.log1p(boost * (0.06 + 0.29 * self.q) * self.ease)
                     - zoom_out * torch.log1p(boost * (0.05 + 0.14 * self.q) * self.ease) + w.verb("pulse") * beat)
        shrink = torch.exp(-log_scale) - 1
        dx, dy = self.x - self.cx, self.y - self.cy
        angle = (w.verb("roll_left") - w.verb("roll_right")) * (1 + thing) * math.pi / 180 * (3 + 9 * self.q) * self.ease
        c, s = torch.cos(angle) - 1, torch.sin(angle)
        aspect = torch.exp2(self.scene["log2_aspect"]).view(-1, 1, 1, 1)
        depth = torch.where(w.verb("pulse") > 0, torch.ones_like(self.parallax), self.parallax)
        u = u + shrink * dx * depth + c * dx - s * dy / aspect
        v = v + shrink * dy * depth + s * dx * aspect + c * dy
        return u, v

    def sway(self):
        """Sideways, growing with the height over the foot; the top lags."""
        s, stand, grass = self.scene, self.w.target("stand", "alive"), self.w.target("grass")
        foot = stand * s["foot"] + (1 - stand) * torch.where(self.thing > 0, self.around.foot, torch.ones_like(self.cx))
        tall = stand * s["tall"] + (1 - stand) * torch.where(self.thing > 0, self.around.tall, torch.ones_like(self.cx))
        height = ((foot - self.y) / tall).clamp(0, 1.2)
        height = torch.where(grass > 0, torch.ones_like(height), height)
        lag = self.d.uniform(0, 0.8, self.n, 1, 1, 1) * height + grass * 3.0 * self.x
        reach = torch.where((self.thing + stand) > 0, 0.28 * tall, 0.09 - 0.05 * grass + 0 * tall)
        amplitude = self.d.uniform(0.4, 1.0, self.n, 1, 1, 1) * reach
        return amplitude * height ** self.d.uniform(1, 2, self.n, 1, 1, 1) * self.swing(lag)

    def wave(self):
        """A travelling sine, displaced across its direction of travel. -> u if along x, v if along y"""
        d, n = self.d, self.n
        number = 2 * math.pi * d.uniform(1.0, 2.0, n, 1, 1, 1) * (1 - 2 * d.chance(0.5, n, 1, 1, 1))
        amplitude = d.uniform(0.015, 0.035, n, 1, 1, 1)
        return amplitude * self.swing(number * self.y), amplitude * self.swing(number * self.x)

    def drift(self, toward):
        """toward: 1 where content goes left. The vertical bob says that it floats."""
        return toward * (0.03 + 0.09 * self.q) * self.ease, toward.abs() * 0.01 * self.swing()

    def field(self):
        w, s = self.w, self.scene
        place, alive = self.where()
        u, v = self.moves()
        wave_u, wave_v = self.wave()
        swaying = self.sway()
        drift_u, drift_v = self.drift(w.verb("drift_left") - w.verb("drift_right"))
        u = place * (u + w.verb("sway") * swaying + w.verb("wave_x") * wave_u + drift_u)
        v = place * (v + w.verb("wave_y") * wave_v + drift_v)
        heading = 1 - 2 * self.d.chance(0.5, self.n, 1, 1, 1)
        u = u + alive * (s["stand"] * swaying + s["sky"] * 0.7 * self.drift(heading)[0])
        v = v + alive * s["water"] * wave_v
        field = torch.stack([u, v], 2)
        size = field.pow(2).sum(2, keepdim=True).sqrt()
        level = (REACH / size.clamp(min=1e-6)).clamp(max=1)
        return torch.where(self.thing[:, None] > 0, field * level, field)


def fields(scene, asks, matte, draws):
    """-> [n, 16, 2, 16, 16], not yet divided by the scale."""
    n, device = len(asks), draws.device
    given = column([float(bool(a.matte)) for a in asks], device)
    around = Geometry(torch.where(given > 0, matte, scene["object_mask"]))
    total = 0
    for i in range(2):
        parts = [a.parts[i] if i < len(a.parts) else None for a in asks]
        if i == 1 and not any(parts):
            break
        wanted = Wanted(parts, device, draws.chance(0.5, n, 1, 1, 1))
        total = total + PartMotion(scene, wanted, given, around, draws).field()
    return total


def holds(scene, share=0.04):
    """The parts that each scene has enough of -> list of lists of names."""
    names = ("water", "sky", "land", "stand", "object")
    present = torch.stack([scene[name].mean((1, 2, 3)) > (share if name != "stand" else 0.02) for name in names], 1).tolist()
    return [[name for name, on in zip(names, row) if on] for row in present]


assert set(TARGETS) and set(VERBS)
