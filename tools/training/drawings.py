"""Pictures that the project draws itself, for sheets that can be committed: a lake, a garden, a balloon."""
import math
import random

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter

WIDTH, HEIGHT = 384, 288


def _sky(top, bottom, height):
    rows = np.linspace(0, 1, height)[:, None, None]
    return (np.array(top) * (1 - rows) + np.array(bottom) * rows) * np.ones((1, WIDTH, 1))


def _canvas(top, bottom):
    return Image.fromarray(_sky(top, bottom, HEIGHT).astype("uint8"))


def _clouds(image, rng, count, low):
    layer = Image.new("L", image.size)
    draw = ImageDraw.Draw(layer)
    for _ in range(count):
        x, y = rng.uniform(0, WIDTH), rng.uniform(10, low)
        for _ in range(7):
            dx, dy, r = rng.uniform(-34, 34), rng.uniform(-6, 6), rng.uniform(8, 18)
            draw.ellipse([x + dx - r * 1.6, y + dy - r * 0.7, x + dx + r * 1.6, y + dy + r * 0.7], fill=215)
    image.paste((250, 250, 252), mask=layer.filter(ImageFilter.GaussianBlur(3)))


def _tree(draw, rng, x, foot, height, dark, light):
    draw.polygon([(x - height * 0.035, foot), (x + height * 0.035, foot), (x + height * 0.02, foot - height * 0.6),
                  (x - height * 0.02, foot - height * 0.6)], fill=(84, 60, 42))
    for i in range(60):
        a, r = rng.uniform(0, 2 * math.pi), rng.uniform(0, 1) ** 0.5
        cx, cy, s = x + math.cos(a) * r * height * 0.26, foot - height * 0.66 + math.sin(a) * r * height * 0.32, height * 0.075
        colour = tuple(int(d + (l - d) * (0.3 + 0.7 * rng.random()) * (1 - i / 150)) for d, l in zip(dark, light))
        draw.ellipse([cx - s, cy - s, cx + s, cy + s], fill=colour)


def _ripples(draw, rng, top, bottom, colour):
    for _ in range(260):
        y = top + (bottom - top) * rng.random() ** 1.3
        near = (y - top) / (bottom - top)
        length, x = 6 + 36 * near * rng.random(), rng.uniform(-10, WIDTH)
        shade = rng.uniform(-24, 26)
        draw.line([(x, y), (x + length, y)], fill=tuple(int(min(255, max(0, c + shade))) for c in colour), width=1 + int(2 * near))


def lake():
    rng = random.Random(3)
    image = _canvas((96, 150, 214), (232, 226, 210))
    _clouds(image, rng, 4, 70)
    draw = ImageDraw.Draw(image)
    for base, tone in ((122, (120, 138, 160)), (130, (92, 118, 120))):
        line = [(x, base - 20 * math.sin(x / 47 + base) - 12 * math.sin(x / 19)) for x in range(0, WIDTH + 8, 8)]
        draw.polygon([(0, 140), *line, (WIDTH, 140)], fill=tone)
    draw.rectangle([0, 138, WIDTH, 240], fill=(62, 116, 156))
    _ripples(draw, rng, 139, 240, (62, 116, 156))
    draw.polygon([(190, 172), (250, 172), (240, 186), (200, 186)], fill=(150, 60, 40))
    draw.polygon([(219, 170), (219, 118), (248, 168)], fill=(246, 242, 230))
    draw.rectangle([0, 236, WIDTH, HEIGHT], fill=(104, 140, 64))
    for _ in range(700):
        x, y = rng.uniform(0, WIDTH), rng.uniform(238, HEIGHT)
        draw.line([(x, y), (x + rng.uniform(-2, 2), y - 5)], fill=(70 + rng.randrange(70), 120 + rng.randrange(60), 40))
    for x, foot, height in ((58, 262, 150), (330, 256, 120), (120, 250, 86)):
        _tree(draw, rng, x, foot, height, (34, 70, 30), (120, 170, 70))
    return image


def garden():
    rng = random.Random(5)
    image = _canvas((244, 208, 168), (250, 236, 214))
    draw = ImageDraw.Draw(image)
    for y in range(60, 190, 16):
        for k in range(-1, 9):
            x = k * 50 + (y // 16 % 2) * 25
            tone = rng.randrange(-14, 14)
            draw.rectangle([x + 1, y + 1, x + 48, y + 14], fill=(178 + tone, 118 + tone, 96 + tone))
    draw.rectangle([0, 188, WIDTH, HEIGHT], fill=(96, 72, 52))
    for _ in range(900):
        x, y = rng.uniform(0, WIDTH), rng.uniform(190, HEIGHT)
        tone = rng.randrange(-20, 24)
        draw.ellipse([x, y, x + 3, y + 2], fill=(96 + tone, 72 + tone, 52 + tone))
    flowers = ((70, 70, (206, 52, 74)), (150, 104, (240, 186, 46)), (232, 60, (150, 70, 190)), (310, 92, (230, 110, 40)))
    for x, top, colour in flowers:
        draw.line([(x, 250), (x + 4, top)], fill=(54, 122, 48), width=5)
        draw.polygon([(x + 2, 190), (x + 34, 164), (x + 12, 196)], fill=(70, 146, 60))
        draw.polygon([(x + 2, 216), (x - 30, 190), (x - 6, 222)], fill=(60, 134, 54))
        for k in range(8):
            a = k * math.pi / 4
            cx, cy = x + 4 + 17 * math.cos(a), top + 17 * math.sin(a)
            draw.ellipse([cx - 11, cy - 11, cx + 11, cy + 11], fill=colour)
        draw.ellipse([x - 6, top - 10, x + 14, top + 10], fill=(250, 222, 110))
    return image


def balloon():
    rng = random.Random(8)
    image = _canvas((70, 128, 206), (206, 226, 244))
    _clouds(image, rng, 6, 200)
    draw = ImageDraw.Draw(image)
    line = [(x, 244 + 9 * math.sin(x / 31) + 4 * math.sin(x / 11)) for x in range(0, WIDTH + 8, 8)]
    draw.polygon([(0, HEIGHT), *line, (WIDTH, HEIGHT)], fill=(88, 126, 70))
    cx, cy, r = 196, 112, 66
    for k in range(8):
        w = r * math.cos(k * math.pi / 16)
        draw.ellipse([cx - w, cy - r, cx + w, cy + r * 1.08], fill=((214, 62, 48), (248, 236, 214))[k % 2])
    draw.polygon([(cx - 22, cy + 62), (cx + 22, cy + 62), (cx + 10, cy + 92), (cx - 10, cy + 92)], fill=(160, 46, 40))
    draw.rectangle([cx - 12, cy + 98, cx + 12, cy + 116], fill=(120, 84, 48))
    for dx in (-10, 10):
        draw.line([(cx + dx, cy + 90), (cx + dx, cy + 100)], fill=(60, 50, 40))
    return image


def balloon_matte():
    image = Image.new("L", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    draw.ellipse([128, 44, 264, 186], fill=255)
    draw.rectangle([172, 170, 220, 232], fill=255)
    return image


DRAWINGS = {"lake": lake, "garden": garden, "balloon": balloon}


def as_tensor(image):
    """-> [1, channels, height, width] in 0..1."""
    pixels = np.asarray(image)
    pixels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    return torch.from_numpy(pixels.copy())[None].float() / 255
