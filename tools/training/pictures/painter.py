"""Paints scenes: endless pictures whose things, colours, counts, places, weather and hour are known.

Everything is a signed distance in units of the picture's side (negative inside), evaluated for all pictures of a batch, so
it runs on a GPU as on a CPU and at any resolution. x runs to the right and y down, 0..1.
"""
import math

import numpy as np
import torch

from words import ATTRIBUTES, VALUES

OUTLINE = 0.008  # around every part of a thing
DARK = (0.12, 0.10, 0.14)
BROWN, PALE, BLACK, GREY, LEAF = (0.42, 0.26, 0.14), (0.98, 0.93, 0.70), (0.10, 0.10, 0.12), (0.62, 0.62, 0.66), (0.20, 0.50, 0.18)
COLOURS = {"red": (0.85, 0.08, 0.10), "orange": (1.0, 0.52, 0.04), "yellow": (1.0, 0.90, 0.15), "green": (0.10, 0.62, 0.20),
           "blue": (0.12, 0.30, 0.90), "purple": (0.50, 0.16, 0.72), "pink": (1.0, 0.56, 0.76), "white": (0.97, 0.97, 0.97)}
SKY_TOP = ((0.30, 0.56, 0.95), (0.34, 0.22, 0.48), (0.02, 0.03, 0.13))
SKY_LOW = ((0.72, 0.88, 1.0), (1.0, 0.56, 0.28), (0.08, 0.11, 0.28))
LIGHT = ((1.0, 1.0, 1.0), (0.95, 0.78, 0.72), (0.42, 0.46, 0.66))  # what the land shows of its colour
LIGHT_THING = ((1.0, 1.0, 1.0), (0.96, 0.86, 0.82), (0.70, 0.70, 0.80))
LAND = {"meadow": (0.38, 0.66, 0.24), "beach": (0.95, 0.86, 0.60), "sea": (0.12, 0.42, 0.66), "desert": (0.90, 0.64, 0.32),
        "snow": (0.94, 0.96, 1.0), "city": (0.38, 0.38, 0.42)}
SIZES = (0.44, 0.29, 0.215)  # of one of `count` things
IN_THE_SKY = ("balloon", "kite")


# ---- distances, of u and v [n, 1, h, w] --------------------------------------------------------------------------------
def disc(u, v, x, y, r):
    return torch.sqrt((u - x) ** 2 + (v - y) ** 2 + 1e-12) - r


def oval(u, v, x, y, a, b):
    k = torch.sqrt(((u - x) / a) ** 2 + ((v - y) / b) ** 2 + 1e-12)
    return (k - 1) * min(a, b)


def box(u, v, x, y, a, b):
    return torch.maximum((u - x).abs() - a, (v - y).abs() - b)


def polygon(u, v, *points):
    """Convex; corners in either order."""
    area = sum(points[i - 1][0] * points[i][1] - points[i][0] * points[i - 1][1] for i in range(len(points)))
    if area < 0:
        points = points[::-1]
    distance = None
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        length = math.hypot(x1 - x0, y1 - y0)
        side = ((u - x0) * (y1 - y0) - (v - y0) * (x1 - x0)) / length
        distance = side if distance is None else torch.maximum(distance, side)
    return distance


def union(*distances):
    result = distances[0]
    for d in distances[1:]:
        result = torch.minimum(result, d)
    return result


# ---- things: parts as (distance, paint), from back to front, in a square of side 1 whose foot is at v = 0.5 -------------
def house(u, v):
    yield box(u, v, 0, 0.2, 0.36, 0.3), "main"
    yield polygon(u, v, (-0.48, -0.08), (0, -0.5), (0.48, -0.08)), "dark"
    yield box(u, v, 0, 0.33, 0.08, 0.17), BROWN
    yield union(box(u, v, -0.21, 0.12, 0.07, 0.07), box(u, v, 0.21, 0.12, 0.07, 0.07)), PALE


def tree(u, v):
    yield box(u, v, 0, 0.32, 0.06, 0.18), BROWN
    yield union(disc(u, v, 0, -0.2, 0.29), disc(u, v, -0.21, 0.02, 0.2), disc(u, v, 0.21, 0.02, 0.2)), "main"


def boat(u, v):
    yield box(u, v, 0, -0.08, 0.02, 0.36), BROWN
    yield polygon(u, v, (0.05, -0.46), (0.05, 0.14), (0.44, 0.14)), "main"
    yield polygon(u, v, (-0.05, -0.36), (-0.05, 0.14), (-0.36, 0.14)), "light"
    yield polygon(u, v, (-0.5, 0.2), (0.5, 0.2), (0.32, 0.47), (-0.32, 0.47)), "main"


def car(u, v):
    yield polygon(u, v, (-0.34, 0.1), (-0.22, -0.16), (0.2, -0.16), (0.34, 0.1)), "main"
    yield union(polygon(u, v, (-0.24, 0.06), (-0.17, -0.09), (-0.04, -0.09), (-0.04, 0.06)),
                polygon(u, v, (0.04, 0.06), (0.04, -0.09), (0.15, -0.09), (0.24, 0.06))), PALE
    yield box(u, v, 0, 0.22, 0.49, 0.14), "main"
    yield union(disc(u, v, -0.27, 0.37, 0.12), disc(u, v, 0.27, 0.37, 0.12)), BLACK
    yield union(disc(u, v, -0.27, 0.37, 0.05), disc(u, v, 0.27, 0.37, 0.05)), GREY


def balloon(u, v):
    yield box(u, v, 0, 0.41, 0.1, 0.08), BROWN
    yield polygon(u, v, (-0.25, 0.08), (0.25, 0.08), (0.09, 0.28), (-0.09, 0.28)), "main"
    yield disc(u, v, 0, -0.15, 0.34), "main"
    yield oval(u, v, 0, -0.15, 0.12, 0.33), "dark"


def umbrella(u, v):
    yield box(u, v, 0, 0.22, 0.025, 0.27), BROWN
    yield torch.maximum(disc(u, v, 0, 0.02, 0.47), v - 0.02), "main"
    yield torch.maximum(oval(u, v, 0, 0.02, 0.17, 0.46), v - 0.02), "light"


def flower(u, v):
    yield box(u, v, 0, 0.25, 0.03, 0.25), LEAF
    yield oval(u, v, 0.13, 0.32, 0.12, 0.05), LEAF
    petals = [disc(u, v, 0.21 * math.cos(a), -0.2 + 0.21 * math.sin(a), 0.13) for a in (math.pi * k / 3 for k in range(6))]
    yield union(*petals, disc(u, v, 0, -0.2, 0.2)), "main"
    yield disc(u, v, 0, -0.2, 0.11), BROWN


def lighthouse(u, v):
    yield oval(u, v, 0, 0.5, 0.3, 0.07), GREY
    tower = polygon(u, v, (-0.18, 0.5), (0.18, 0.5), (0.11, -0.2), (-0.11, -0.2))
    yield tower, "main"
    bands = union(box(u, v, 0, 0.32, 1, 0.06), box(u, v, 0, 0.06, 1, 0.06))
    yield torch.maximum(tower, bands) + OUTLINE / 2, "light"
    yield box(u, v, 0, -0.27, 0.09, 0.07), PALE
    yield polygon(u, v, (-0.16, -0.34), (0.16, -0.34), (0, -0.5)), "dark"


def kite(u, v):
    tail = box(u - 0.05 * torch.sin(18 * v), v, 0, 0.4, 0.018, 0.1)
    yield union(tail, disc(u, v, 0.05, 0.47, 0.05)), "dark"
    yield polygon(u, v, (0, -0.5), (0.33, -0.12), (0, 0.34), (-0.33, -0.12)), "main"
    yield polygon(u, v, (0, -0.42), (0.25, -0.12), (0, -0.12)), "light"


THINGS = dict(house=house, tree=tree, boat=boat, car=car, balloon=balloon, umbrella=umbrella, flower=flower, lighthouse=lighthouse,
              kite=kite)


class Canvas:
    """[n, 3, side, side], painted from back to front."""

    def __init__(self, n, side, device):
        centre = (torch.arange(side, device=device) + 0.5) / side
        self.x, self.y = centre.view(1, 1, 1, side), centre.view(1, 1, side, 1)
        self.soft = 1.2 / side
        self.picture = torch.zeros(n, 3, side, side, device=device)

    def inside(self, distance):
        return (0.5 - distance / self.soft).clamp(0, 1)

    def paint(self, mask, colour):
        """mask [n, 1, h, w] in 0..1; colour [n, 3, 1, 1] or [n, 3, h, w]."""
        self.picture = torch.lerp(self.picture, colour.expand_as(self.picture), mask.expand_as(self.picture))


class Painter:
    def __init__(self, rng, side=128, device="cpu"):
        self.rng, self.side, self.device = rng, side, device

    def tensor(self, values):
        return torch.as_tensor(np.asarray(values, np.float32), device=self.device)

    def uniform(self, low, high, n):
        return self.tensor(self.rng.uniform(low, high, n)).view(n, 1, 1, 1)

    def row(self, table, index):
        return self.tensor(table)[index].view(-1, 3, 1, 1)

    def __call__(self, scenes):
        """scenes [n, 7] -> pictures [n, 3, side, side] in 0..1, and where things are, [n, 1, side, side]."""
        value = {a: torch.as_tensor(scenes[:, i].astype(np.int64), device=self.device) for i, a in enumerate(ATTRIBUTES)}
        n = len(scenes)
        canvas = Canvas(n, self.side, self.device)
        horizon = self.uniform(0.50, 0.60, n)
        self.sky(canvas, value, horizon)
        self.land(canvas, value, horizon)
        things = self.things(canvas, value, horizon)
        self.rain(canvas, value)
        return canvas.picture.clamp(0, 1), things

    def light(self, value, table=LIGHT):
        return self.row(table, value["hour"])

    def sky(self, canvas, value, horizon):
        n, hour, weather = len(value["hour"]), value["hour"], value["weather"]
        dull = self.row([(0.62, 0.65, 0.70), (0.55, 0.44, 0.46), (0.10, 0.11, 0.16)], hour)
        wet = (weather == 2).float().view(n, 1, 1, 1)
        top = torch.lerp(self.row(SKY_TOP, hour), dull, 0.8 * wet)
        low = torch.lerp(self.row(SKY_LOW, hour), dull, 0.6 * wet)
        canvas.picture = torch.lerp(top, low, (canvas.y / horizon).clamp(0, 1)).expand(-1, -1, -1, self.side).clone()
        clear = (weather == 0).float().view(n, 1, 1, 1)
        self.sun_or_moon(canvas, value, horizon, clear)
        self.stars(canvas, clear * (hour == 2).float().view(n, 1, 1, 1), horizon)
        self.clouds(canvas, value)

    def sun_or_moon(self, canvas, value, horizon, clear):
        n, hour = len(value["hour"]), value["hour"]
        low = (hour == 1).float().view(n, 1, 1, 1)
        x, y = self.uniform(0.08, 0.92, n), torch.lerp(self.uniform(0.08, 0.16, n), horizon - 0.03, low)
        body = disc(canvas.x, canvas.y, x, y, 0.065)
        night = (hour == 2).float().view(n, 1, 1, 1)
        body = torch.lerp(body, torch.maximum(body, -disc(canvas.x, canvas.y, x + 0.035, y - 0.02, 0.06)), night)
        canvas.paint(canvas.inside(body) * clear, self.row([(1.0, 0.96, 0.55), (1.0, 0.86, 0.40), (0.98, 0.97, 0.85)], hour))

    def stars(self, canvas, shown, horizon):
        n = len(shown)
        for _ in range(14):
            spot = disc(canvas.x, canvas.y, self.uniform(0, 1, n), self.uniform(0, 0.45, n), 0.007)
            canvas.paint(canvas.inside(spot) * shown, self.tensor((0.95, 0.95, 0.85)).view(1, 3, 1, 1))

    def clouds(self, canvas, value):
        """White ones where it is cloudy, a dark ceiling where it rains."""
        n, weather = len(value["hour"]), value["weather"]
        shown = (weather > 0).float().view(n, 1, 1, 1)
        white = self.row([(0.97, 0.97, 0.99), (0.86, 0.66, 0.66), (0.30, 0.32, 0.42)], value["hour"])
        dark = self.row([(0.42, 0.44, 0.50), (0.34, 0.27, 0.32), (0.05, 0.05, 0.08)], value["hour"])
        wet = (weather == 2).float().view(n, 1, 1, 1)
        colour = torch.lerp(white, dark, wet)
        for k in range(4):
            x = (k + self.uniform(0.1, 0.9, n)) / 4
            y = torch.lerp(self.uniform(0.08, 0.26, n), self.uniform(0.0, 0.06, n), wet)
            size = self.uniform(0.05, 0.075, n) * (1 + 0.9 * wet)
            puffs = [disc(canvas.x, canvas.y, x + dx * size, y + dy * size, r * size)
                     for dx, dy, r in ((-1.2, 0.2, 0.8), (0, -0.2, 1.1), (1.2, 0.2, 0.8), (0, 0.4, 0.9))]
            canvas.paint(canvas.inside(union(*puffs)) * shown, colour)

    def land(self, canvas, value, horizon):
        n, light = len(value["hour"]), self.light(value)
        place = {name: (value["place"] == i).float().view(n, 1, 1, 1) for i, name in enumerate(VALUES["place"])}
        self.skyline(canvas, place["city"], horizon, value)
        rolling = 0.035 * place["meadow"] + 0.06 * place["desert"] + 0.05 * place["snow"]
        wave = torch.sin(canvas.x * self.uniform(5, 9, n) + self.uniform(0, 6.3, n))
        colour = self.row([LAND[p] for p in VALUES["place"]], value["place"]) * light
        back = horizon - canvas.y + 0.6 * rolling * torch.sin(canvas.x * self.uniform(7, 12, n) + self.uniform(0, 6.3, n))
        far = canvas.inside(back) * (1 - place["city"])
        canvas.paint(far, colour * self.row([(0.84, 0.88, 0.86)] * len(LAND), value["place"]))
        front = horizon + 0.05 * (rolling > 0).float() - canvas.y + rolling * wave
        canvas.paint(canvas.inside(front), colour)
        water = canvas.inside(horizon - canvas.y) * canvas.inside(canvas.y - horizon - self.uniform(0.09, 0.13, n))
        canvas.paint(water * place["beach"], self.row([LAND["sea"]], torch.zeros_like(value["hour"])) * light)
        crest = torch.sin(canvas.y * 95 + 1.5 * torch.sin(canvas.x * 14 + self.uniform(0, 6.3, n))) * (canvas.y > horizon)
        canvas.paint((crest - 0.75).clamp(0, 0.25) * 1.6 * place["sea"], self.tensor((0.75, 0.88, 0.95)).view(1, 3, 1, 1) * light)
        dash = box(torch.remainder(canvas.x + self.uniform(0, 1, n), 0.25), canvas.y, 0.125, 0.9, 0.07, 0.012)
        canvas.paint(canvas.inside(dash) * place["city"], self.tensor((0.9, 0.9, 0.85)).view(1, 3, 1, 1) * light)

    def skyline(self, canvas, shown, horizon, value):
        n, count = len(shown), 7
        lit = self.row([(0.52, 0.62, 0.74), (0.98, 0.80, 0.42), (0.98, 0.86, 0.45)], value["hour"])
        for k in range(count):
            x, top = (k + self.uniform(0.3, 0.7, n)) / count, horizon - self.uniform(0.10, 0.34, n)
            wall = torch.maximum((canvas.x - x).abs() - self.uniform(0.055, 0.075, n), top - canvas.y)
            grey = self.uniform(0.42, 0.62, n) * self.tensor((0.92, 0.96, 1.08)).view(1, 3, 1, 1)
            canvas.paint(canvas.inside(wall) * shown, grey * self.light(value))
            u = torch.remainder(canvas.x - x + 0.02, 0.04) - 0.02
            v = torch.remainder(canvas.y - top, 0.05) - 0.03
            window = torch.maximum(torch.maximum(u.abs() - 0.009, v.abs() - 0.011), wall + 0.012)
            canvas.paint(canvas.inside(window) * shown, lit)

    def things(self, canvas, value, horizon):
        n = len(value["hour"])
        total = torch.zeros(n, 1, self.side, self.side, device=self.device)
        count = value["count"]
        size = self.tensor(SIZES)[count].view(n, 1, 1, 1) * self.uniform(0.93, 1.05, n)
        gap = size * 1.06
        half = (count.view(n, 1, 1, 1) * gap + size) / 2
        side = value["side"].view(n, 1, 1, 1)
        margin = self.uniform(0.02, 0.06, n)
        middle = torch.where(side == 0, half + margin, torch.where(side == 2, 1 - half - margin, 0.5 + self.uniform(-0.025, 0.025, n)))
        foot = horizon + self.uniform(0.20, 0.30, n)
        main = self.row([COLOURS[c] for c in VALUES["colour"]], value["colour"]) + self.tensor(self.rng.uniform(-0.03, 0.03, (n, 3, 1, 1)))
        light = self.light(value, LIGHT_THING)
        for kind, name in enumerate(VALUES["thing"]):
            chosen = (value["thing"] == kind).nonzero().flatten()
            if not len(chosen):
                continue
            here = Canvas(len(chosen), self.side, self.device)
            here.picture = canvas.picture[chosen]
            covered = torch.zeros(len(chosen), 1, self.side, self.side, device=self.device)
            floating = name in IN_THE_SKY
            for k in range(3):
                shown = (count[chosen] >= k).float().view(-1, 1, 1, 1)
                s = size[chosen]
                x = middle[chosen] + (k - count[chosen].view(-1, 1, 1, 1) / 2) * gap[chosen]
                jitter = self.uniform(-0.02, 0.02, len(chosen))
                y = self.uniform(0.27, 0.33, len(chosen)) + jitter if floating else foot[chosen] - s / 2 + jitter
                self.thing(here, THINGS[name]((here.x - x) / s, (here.y - y) / s), s, shown, main[chosen], light[chosen], covered)
            canvas.picture[chosen] = here.picture
            total[chosen] = covered
        return total

    def thing(self, canvas, parts, size, shown, main, light, covered):
        paints = {"main": main, "dark": main * 0.62, "light": torch.lerp(main, torch.ones_like(main), 0.55)}
        # White has no lighter shade: its light parts are grey.
        white = (main.amin(1, keepdim=True) > 0.9).float()
        paints["light"] = torch.lerp(paints["light"], main * 0.8, white)
        for distance, paint in parts:
            colour = paints[paint] if isinstance(paint, str) else self.tensor(paint).view(1, 3, 1, 1)
            around = canvas.inside(distance * size - OUTLINE) * shown
            canvas.paint(around, self.tensor(DARK).view(1, 3, 1, 1) * light)
            canvas.paint(canvas.inside(distance * size) * shown, (colour * light).expand(len(main), -1, 1, 1))
            covered.copy_(torch.maximum(covered, around))

    def rain(self, canvas, value):
        n = len(value["hour"])
        wet = (value["weather"] == 2).float().view(n, 1, 1, 1)
        along = canvas.y * 9 + self.uniform(0, 1, n)
        across = (canvas.x + 0.22 * canvas.y) * 12 + self.uniform(0, 1, n)
        column = torch.floor(across)
        gap = torch.remainder(along + column * 0.37, 1.0)
        streak = ((across - column - 0.5).abs() < 0.085).float() * (gap < 0.55).float()
        colour = self.row([(0.88, 0.92, 0.98), (0.85, 0.80, 0.86), (0.55, 0.60, 0.74)], value["hour"])
        canvas.paint(streak * 0.6 * wet, colour)
