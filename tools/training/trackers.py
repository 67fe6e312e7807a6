"""What a motion field does, measured without knowing how it was made: affine fits per frame, sinusoids in time, travelling waves.
A field [16, 2, 16, 16] is fitted in each frame by translation + linear map (least squares, optionally weighted); the
shares of the energy of translation, divergence and curl and the course of each over time say which verb it is.
Thresholds are the same for truth and model; evaluate.py prints what they make of true fields (the ceiling) and of no
motion (zero).
"""
import math

import torch

import settings as S

MOTION_MIN = 0.003  # root mean square, in widths: below, nothing moves


def _plane():
    g = (torch.arange(S.GRID) + 0.5) / S.GRID
    y, x = torch.meshgrid(g, g, indexing="ij")
    return x, y


X, Y = _plane()
T = (torch.arange(S.FRAMES) + 1.0) / S.FRAMES


class Affine:
    """Per frame: translation [16, 2], divergence and curl [16], and their shares of the energy."""

    def __init__(self, field, weight=None, aspect=1.0):
        w = torch.ones(S.GRID, S.GRID) if weight is None else weight
        w = w / w.sum()
        field = field * torch.tensor([aspect, 1.0]).view(1, 2, 1, 1)  # in heights: a rotation is one only in square units
        x, y = (X - (w * X).sum()) * aspect, Y - (w * Y).sum()
        design = torch.stack([torch.ones_like(x), x, y], -1).reshape(-1, 3)
        root = w.reshape(-1, 1).sqrt()
        target = field.permute(2, 3, 0, 1).reshape(S.GRID**2, -1)
        fit = torch.linalg.lstsq(design * root, target * root).solution.view(3, S.FRAMES, 2)
        self.energy = float((w * field.pow(2).sum(1)).sum()) + 1e-12
        self.rms = math.sqrt(self.energy / S.FRAMES)
        self.translation = fit[0]
        self.divergence = (fit[1, :, 0] + fit[2, :, 1]) / 2
        self.curl = (fit[1, :, 1] - fit[2, :, 0]) / 2
        spread = float((w * (x**2 + y**2)).sum())
        self.share_x, self.share_y = (float(fit[0, :, i].pow(2).sum()) / self.energy for i in range(2))
        self.share_divergence = float(self.divergence.pow(2).sum()) * spread / self.energy
        self.share_curl = float(self.curl.pow(2).sum()) * spread / self.energy


def rises(course, least=0.85):
    """Grows steadily with time, in the positive direction."""
    centred, time = course - course.mean(), T - T.mean()
    r = float((centred * time).sum() / (centred.norm() * time.norm() + 1e-12))
    return float(course[-1]) > 0 and r > least


def sinusoid_fit(course):
    """The best a (sin(wt + p) - sin p). -> (share explained, cycles in the clip)"""
    best = (-1.0, 0.0)
    total = float(course.pow(2).sum()) + 1e-12
    for cycles in torch.arange(0.4, 1.85, 0.05).tolist():
        w = 2 * math.pi * cycles
        design = torch.stack([torch.sin(w * T), torch.cos(w * T) - 1], 1)
        rest = course - design @ torch.linalg.lstsq(design, course[:, None]).solution[:, 0]
        best = max(best, (1 - float(rest.pow(2).sum()) / total, cycles))
    return best


def line_share(course):
    slope = float((course * T).sum() / (T * T).sum())
    return 1 - float((course - slope * T).pow(2).sum()) / (float(course.pow(2).sum()) + 1e-12)


def wave_fit(profile, on):
    """profile [16 frames, 16 cells], of which `on` count: the best sine. -> (share explained, cycles across, in the clip)"""
    s, t = ((torch.arange(S.GRID) + 0.5) / S.GRID)[on][None], T[:, None]
    profile = profile[:, on]
    total, best = float(profile.pow(2).sum()) + 1e-12, (-1.0, 0.0, 0.0)
    flat = profile.reshape(-1, 1)
    for across in torch.arange(0.8, 2.35, 0.15).tolist():
        for sign in (1, -1):
            for cycles in torch.arange(0.5, 1.65, 0.1).tolist():
                k, w = 2 * math.pi * across * sign, 2 * math.pi * cycles
                design = torch.stack([(torch.sin(w * t - k * s) - torch.sin(-k * s)).reshape(-1),
                                      (torch.cos(w * t - k * s) - torch.cos(-k * s)).reshape(-1)], 1)
                rest = flat - design @ torch.linalg.lstsq(design, flat).solution
                best = max(best, (1 - float(rest.pow(2).sum()) / total, across * sign, cycles))
    return best


SIGNS = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}


def is_pan(a, verb):
    axis, sign = SIGNS[verb]
    share = (a.share_x, a.share_y)[axis]
    return share > 0.6 and rises(a.translation[:, axis] * sign)


def is_drift(a, verb):
    sign = 1 if verb == "drift_left" else -1
    return a.share_x > 0.6 and rises(a.translation[:, 0] * sign)


def is_zoom(a, verb):
    return a.share_divergence > 0.45 and rises(a.divergence * (-1 if verb == "in" else 1))


def is_roll(a, verb):
    return a.share_curl > 0.45 and rises(a.curl * (1 if verb == "roll_left" else -1))


def is_pulse(a):
    return a.share_divergence > 0.5 and sinusoid_fit(a.divergence)[0] > 0.85 and line_share(a.divergence) < 0.9


def is_sway(field, weight=None):
    """Along x, more at the top than at the foot, back and forth."""
    w = torch.ones(S.GRID, S.GRID) if weight is None else weight
    energy = w * field.pow(2)
    along = float(energy[:, 0].sum() / (energy.sum() + 1e-12))
    by_row = w.sum(1)
    rows = (by_row > 0.25 * by_row.max()).nonzero()[:, 0]
    course = (field[:, 0] * w).sum(2) / by_row.clamp(min=1e-3)
    quarter = max(1, len(rows) // 4)
    top, foot = course[:, rows[:quarter]].mean(1), course[:, rows[-quarter:]].mean(1)
    return (along > 0.8 and float(top.norm()) > 1.7 * float(foot.norm()) and sinusoid_fit(top)[0] > 0.85
            and line_share(top) < 0.92)


def steady_share(profile):
    """Of the energy of [16 frames, n], how much each of the n courses explains by growing steadily: all of it in a turn, little in a wave."""
    slope = (profile * T[:, None]).sum(0) / (T * T).sum()
    return 1 - float((profile - slope * T[:, None]).pow(2).sum()) / (float(profile.pow(2).sum()) + 1e-12)


def is_wave(field, verb, weight=None):
    """Displaced along the axis asked for (either, if none was), a sine that travels across it."""
    w = torch.ones(S.GRID, S.GRID) if weight is None else weight
    energy = float((w * field.pow(2)).sum()) + 1e-12
    for component, along, name in ((0, 2, "wave_x"), (1, 1, "wave_y")):
        if verb not in ("wave", name):
            continue
        by_line = w.sum(along - 1)
        profile = (field[:, component] * w).sum(along) / by_line.clamp(min=1e-3)
        share = float((profile.pow(2) * by_line).sum()) / energy  # of the energy in lines that move as one
        on = by_line > 0.3 * by_line.max()
        if share > 0.6 and steady_share(profile[:, on]) < 0.9 and wave_fit(profile, on)[0] > 0.7:
            return True
    return False


def does(field, verb, weight=None, aspect=1.0, of_thing=False):
    """Whether the field [16, 2, 16, 16] does what the verb says. A thing moves against the camera's sign."""
    if not bool(torch.isfinite(field).all()):
        return False
    a = Affine(field, weight, aspect)
    if a.rms < MOTION_MIN:
        return False
    if verb in SIGNS:
        opposite = {"left": "right", "right": "left", "up": "down", "down": "up"}
        return is_pan(a, opposite[verb] if of_thing else verb)
    if verb in ("in", "out"):
        return is_zoom(a, verb)
    if verb in ("roll_left", "roll_right"):
        return is_roll(a, verb)
    if verb in ("drift_left", "drift_right"):
        return is_drift(a, verb)
    if verb == "pulse":
        return is_pulse(a)
    if verb == "sway":
        return is_sway(field, weight)
    return is_wave(field, verb, weight)
