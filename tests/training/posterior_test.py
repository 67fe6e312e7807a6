"""What training asks for where the noise is strong: the posterior mean, of which the clip is one draw."""
import unittest

import paths  # noqa: F401, puts tools/training on the path
import torch
from asks import Ask, Part
from cases import Clips, held_out_scenes
from diffusion import DECIDING, noised, stratified_log_snr
from draws import Draws
from posterior import FRESH_BELOW, KEPT_BELOW, Candidates, Kept, Posterior, pack, scaled

WAVE = Ask("everything waves sideways", (Part("whole", "wave_x"),))
PAN = Ask("pan left", (Part("camera", "left"),))


class Few(Kept):
    COUNT, EACH = 64, 16


def clips_of(ask, count):
    clips = Clips(held_out_scenes(count, 3), [ask] * count, 4)
    return clips, pack(scaled(clips.truth))


class CandidatesTest(unittest.TestCase):
    def setUp(self):
        _, self.fields = clips_of(WAVE, 5)
        self.clean, self.others = self.fields[0], Candidates(self.fields[1:])
        self.noise = Draws(8).normal(*self.fields.shape)

    def answer(self, log_snr):
        level = torch.tensor([log_snr])
        return self.others.mean_with(self.clean, noised(self.fields[:1], level, self.noise[:1])[0], level)

    def test_under_nothing_but_noise_all_are_as_likely(self):
        self.assertTrue(torch.allclose(self.answer(-40.0), self.fields.mean(0), atol=1e-4))

    def test_where_the_clip_shows_it_is_the_answer(self):
        self.assertTrue(torch.allclose(self.answer(3.0), self.clean, atol=1e-5))

    def test_the_answer_is_the_clip_in_the_mean_whatever_the_noisy_field_was(self):
        """Each of the five as the clip in turn: what the answers miss has nothing to do with what was seen."""
        level, missed, spread = torch.full((5,), -6.5), 0.0, 0.0
        for turn in range(60):
            noisy = noised(self.fields, level, Draws(100 + turn).normal(*self.fields.shape))
            for i in range(5):
                others = Candidates(self.fields[[j for j in range(5) if j != i]])
                answer = others.mean_with(self.fields[i], noisy[i], level[:1])
                missed += float(((answer - self.fields[i]) * answer).mean())
                spread += float((answer - self.fields[i]).pow(2).mean())
        self.assertGreater(spread, 1.0)  # they do miss
        self.assertLess(abs(missed), 0.12 * spread)


class KeptTest(unittest.TestCase):
    def test_what_is_kept_follows_from_how_often_it_was_used(self):
        blank = {name: value[:1] for name, value in held_out_scenes(1, 3).items()}
        used = Few(7, WAVE, blank)
        before = used.candidates.flat.clone()
        for _ in range(6):
            candidates = used.use()
        again = Few(7, WAVE, blank, used=6).candidates
        self.assertTrue(torch.equal(candidates.flat, again.flat))
        self.assertTrue(torch.equal(candidates.energy, again.energy))
        self.assertEqual(int((before != again.flat).any(1).sum()), 64)  # six turns of sixteen: all are new

    def test_no_scene_changes_what_is_kept(self):
        of = lambda seed: Few(7, WAVE, {name: value[:1] for name, value in held_out_scenes(1, seed).items()}).candidates.flat
        self.assertTrue(torch.equal(of(3), of(11)))


class PosteriorTest(unittest.TestCase):
    def lesson(self, ask, log_snr, told=1.0):
        clips, clean = clips_of(ask, 2)
        level = torch.full((2,), log_snr)
        noisy = noised(clean, level, Draws(9).normal(*clean.shape))
        shown = {**clips.shown, "text_given": torch.full((2,), told)}
        return clean, Posterior(1, Draws(2), fresh=16).lesson(clean, noisy, level, clips.scene, clips.asks, shown)

    def test_a_wave_under_much_noise_is_hardly_answered(self):
        clean, answer = self.lesson(WAVE, -11.5)
        self.assertLess(float(answer.pow(2).mean()), 0.1 * float(clean.pow(2).mean()))

    def test_a_pan_under_much_noise_is_the_mean_pan(self):
        clean, answer = self.lesson(PAN, -11.5)
        self.assertFalse(torch.allclose(answer, clean, atol=1e-2))
        self.assertTrue(bool((answer.mean((1, 2, 3, 4)) * clean.mean((1, 2, 3, 4)) > 0).all()))

    def test_who_was_not_told_the_prompt_learns_from_the_clip(self):
        clean, answer = self.lesson(WAVE, -11.5, told=0.0)
        self.assertTrue(torch.equal(clean, answer))

    def test_where_noise_is_weak_the_clip_is_the_answer(self):
        for ask, bound in ((WAVE, KEPT_BELOW), (PAN, FRESH_BELOW)):
            clean, answer = self.lesson(ask, bound + 0.1)
            self.assertTrue(torch.equal(clean, answer))


class LevelsTest(unittest.TestCase):
    def test_a_share_of_the_clips_is_where_motion_is_decided(self):
        found = stratified_log_snr(Draws(4), 400, deciding=0.5)
        inside = float(((found > DECIDING[0]) & (found < DECIDING[1])).float().mean())
        self.assertAlmostEqual(inside, 0.5 + 0.5 * (DECIDING[1] - DECIDING[0]) / 15, delta=0.01)
        self.assertEqual(found.shape, (400,))

    def test_without_it_they_are_even(self):
        found = stratified_log_snr(Draws(4), 400).sort().values
        self.assertLess(float((found[1:] - found[:-1]).max()), 2 * 15 / 400)


if __name__ == "__main__":
    unittest.main()
