"""The true fields and the trackers hold each other: ceilings near one, zero for no motion and for the wrong verb."""
import random
import unittest

import paths  # noqa: F401
import torch

import settings as S
import vocabulary
from asks import MOVES, STRANGE, Ask, Part, draw_ask, draw_one_of, plain_sentence
from batches import Batches
from cases import WHOLE, target_of
from draws import Draws
from motion import fields, holds, mattes
from scenes import draw_scenes
from trackers import does
from warp import animate, samples, window

torch.set_num_threads(1)
EACH = 24
OPPOSITE = {"left": "right", "right": "left", "up": "down", "down": "up", "in": "out", "out": "in",
            "roll_left": "roll_right", "roll_right": "roll_left"}


def true_fields(scene, verb, target=None, matte="", speed="", seed=1):
    n = len(scene["picture"])
    asks = [Ask("", (Part(target or target_of(verb), verb, speed),), matte)] * n
    draws = Draws(seed)
    given = mattes(scene, asks, draws)
    return fields(scene, asks, given, draws), given


def scenes_with(*names, count=EACH, seed=11):
    pool = draw_scenes(Draws(seed), 12 * count)
    fits = [i for i, held in enumerate(holds(pool)) if set(names) <= set(held)][:count]
    assert len(fits) == count
    return {k: v[torch.tensor(fits)] for k, v in pool.items()}


class TrackerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scene = draw_scenes(Draws(3), EACH)
        cls.aspect = torch.exp2(cls.scene["log2_aspect"]).tolist()

    def share(self, field, verb):
        return sum(does(field[i], verb, aspect=self.aspect[i]) for i in range(EACH)) / EACH

    def test_true_fields_pass_and_no_motion_does_not(self):
        for verb in MOVES + WHOLE:
            with self.subTest(verb):
                field, _ = true_fields(self.scene, verb)
                self.assertGreaterEqual(self.share(field, verb), 0.9)
                self.assertEqual(self.share(field * 0, verb), 0)

    def test_the_opposite_does_not_pass(self):
        for verb, other in OPPOSITE.items():
            self.assertEqual(self.share(true_fields(self.scene, other)[0], verb), 0, verb)
        self.assertEqual(self.share(true_fields(self.scene, "wave_x")[0], "wave_y"), 0)
        self.assertEqual(self.share(true_fields(self.scene, "wave_y")[0], "wave_x"), 0)

    def test_a_true_move_is_no_other_verb(self):
        for verb in MOVES:
            field = true_fields(self.scene, verb)[0]
            for other in WHOLE:
                if {verb, other} not in ({"left", "drift_right"}, {"right", "drift_left"}):  # seen from the picture, the same
                    self.assertEqual(self.share(field, other), 0, f"{verb} passes for {other}")

    def test_noise_passes_for_nothing(self):
        noise = torch.randn(EACH, S.FRAMES, 2, S.GRID, S.GRID) * 0.03
        for verb in MOVES + WHOLE:
            self.assertEqual(self.share(noise, verb), 0, verb)


class MotionTest(unittest.TestCase):
    def energy(self, field, part):
        moving = field.pow(2).sum(2).mean(1)
        return float((moving * part[:, 0]).sum() / part.sum().clamp(min=1e-6))

    def test_what_is_named_moves_and_the_rest_stays(self):
        for target, verb, part, other in (("water", "wave", "water", "sky"), ("sky", "drift_left", "sky", "water")):
            scene = scenes_with("water", "sky")
            field, _ = true_fields(scene, verb, target)
            far_from = scene[other] * (scene[part] < 0.01)
            self.assertGreater(self.energy(field, scene[part]), 1e-5)
            self.assertLess(self.energy(field, far_from), 1e-7)

    def test_things_sway_from_their_foot(self):
        scene = scenes_with("stand")
        field, _ = true_fields(scene, "sway", "stand")
        y = ((torch.arange(S.GRID) + 0.5) / S.GRID).view(1, 1, S.GRID, 1)
        above = ((scene["foot"] - y) / scene["tall"]).clamp(0, 1)
        top, foot = scene["stand"] * (above > 0.6), scene["stand"] * (above < 0.3)
        self.assertGreater(self.energy(field, top), 4 * self.energy(field, foot))

    def test_near_things_shift_more_than_far_ones(self):
        scene = scenes_with("sky", "land")
        field, _ = true_fields(scene, "left")
        self.assertGreater(self.energy(field, scene["land"]), 2 * self.energy(field, scene["sky"]))

    def test_a_matte_continues_the_motion_over_the_plane(self):
        scene = scenes_with("object")
        inside = scene["object"]
        with_matte, _ = true_fields(scene, "up", "object", "object")
        without, _ = true_fields(scene, "up", "object")
        outside = (inside < 0.01).float()
        self.assertGreater(self.energy(with_matte, outside), 0.5 * self.energy(with_matte, inside))
        self.assertLess(self.energy(without, outside), 0.01 * self.energy(without, inside))

    def test_speed_words_order_strengths(self):
        scene = draw_scenes(Draws(4), EACH)
        strength = {speed: float(true_fields(scene, "left", speed=speed)[0].pow(2).mean()) for speed in ("slow", "", "quick")}
        self.assertLess(strength["slow"], strength[""])
        self.assertLess(strength[""], strength["quick"])

    def test_same_seed_same_batches_and_a_restored_state_goes_on(self):
        first, second = Batches(5, pool=24), Batches(5, pool=24)
        self.assertTrue(torch.equal(first.draw(8)[0], second.draw(8)[0]))
        third = Batches(99, pool=24)
        third.restore(first.state())
        self.assertTrue(torch.equal(first.draw(8)[0], third.draw(8)[0]))


    def test_homework_is_a_share_of_what_is_asked(self):
        asked = Batches(5, pool=24, homework=(("whole", "wave_x", 3.0), ("camera", "up", 1.0)), share=0.5).draw(400)[2]
        named = lambda verb: sum(a.parts[0].verb == verb and len(a.parts) == 1 for a in asked)
        self.assertGreater(named("wave_x"), 120)
        self.assertGreater(named("up"), 30)
        self.assertGreater(400 - named("wave_x") - named("up"), 150)

    def test_homework_asks_nothing_of_what_is_not_there(self):
        rng, offers = random.Random(1), (("stand", "sway", 1.0), ("alive", "alive", 1.0))
        self.assertIsNone(draw_one_of(rng, ["land"], offers))
        self.assertEqual(draw_one_of(rng, ["water"], offers).parts[0].target, "alive")


class SentenceTest(unittest.TestCase):
    def test_sentences_fit_and_use_known_words(self):
        rng = random.Random(1)
        for i in range(4000):
            held = [n for n in ("water", "sky", "land", "stand", "object") if rng.random() < 0.5]
            words = vocabulary.words_of(draw_ask(rng, held, 1 + i % 2).text)
            self.assertLessEqual(len(words), S.TOKENS)
            self.assertFalse([w for w in words if w not in vocabulary.NUMBERS and w not in STRANGE])

    def test_opposites_are_said_differently(self):
        said = {tuple(vocabulary.encode(plain_sentence(verb, target_of(verb)))) for verb in MOVES + WHOLE}
        self.assertEqual(len(said), len(MOVES + WHOLE))


class WarpTest(unittest.TestCase):
    def test_no_sample_leaves_the_photo(self):
        scene = draw_scenes(Draws(6), 6)
        for verb in ("left", "out", "roll_left", "pulse", "sway"):
            for field in true_fields(scene, verb, speed="quick")[0]:
                middle, side = window(field)
                sx, sy = samples(torch.cat([field[:1] * 0, field]), middle, side, 48, 64)
                self.assertGreater(side, 0.6)
                self.assertGreater(min(float(sx.min()), float(sy.min())), -0.004)
                self.assertLess(max(float(sx.max()), float(sy.max())), 1.004)

    def test_outside_the_matte_nothing_changes(self):
        scene = scenes_with("object", count=6)
        field, matte = true_fields(scene, "up", "object", "object")
        big = lambda t: torch.nn.functional.interpolate(t, 128, mode="bilinear", align_corners=False)
        for i in range(6):
            frames = animate(big(scene["picture"][i:i + 1]), field[i], big(matte[i:i + 1]))
            change = (frames[1:] - frames[:1]).abs().mean((0, 1))
            mask = big(matte[i:i + 1])[0, 0]
            reach = torch.nn.functional.max_pool2d(mask[None, None], 65, 1, 32)[0, 0]
            if float((reach < 0.01).float().mean()) > 0.02:
                self.assertGreater(float(change[mask > 0.5].mean()), 5 * float(change[reach < 0.01].mean()))


if __name__ == "__main__":
    unittest.main()
