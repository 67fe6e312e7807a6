"""What an evaluation compares with: the truth, sampled often enough, and a sampler that options change as they say."""
import argparse
import tempfile
import unittest

import paths  # noqa: F401
import torch

import evaluate
import export
from cases import verb_clips
from diffusion import Guided, Sampler

torch.set_num_threads(1)


class LongTruthTest(unittest.TestCase):
    def test_many_draws_agree_with_each_other_as_one_does_not(self):
        clips, index = verb_clips("left", 4, 4)
        one, other = evaluate.LongTruth(clips, index, 1), evaluate.LongTruth(clips, index, 2)
        self.assertAlmostEqual(one.strength / other.strength, 1, delta=0.06)
        self.assertAlmostEqual(one.spread / other.spread, 1, delta=0.12)
        self.assertAlmostEqual(float(evaluate.strength(clips.truth).mean()) / one.strength, 1, delta=0.35)

    def test_a_field_twice_as_far_is_twice_as_strong_and_varied(self):
        clips, index = verb_clips("wave_x", 2, 3)
        self.assertAlmostEqual(float((evaluate.strength(2 * clips.truth) / evaluate.strength(clips.truth)).mean()), 2, places=4)
        self.assertAlmostEqual(evaluate.spread(2 * clips.truth, index) / evaluate.spread(clips.truth, index), 2, places=4)


class SamplerOptionsTest(unittest.TestCase):
    def parse(self, model, *words):
        parser = argparse.ArgumentParser()
        parser.add_argument("model")
        export.add_sampler_options(parser)
        return evaluate.sampler_of(parser.parse_args([model, *words]))

    def test_a_directory_is_sampled_as_it_says_but_for_what_options_say(self):
        with tempfile.TemporaryDirectory() as out:
            own = Sampler(6, text=2.0, guide_first=-4.0, guide_last=1.0, fresh_noise=True, s_noise=1.35, s_noise_last=-4.0)
            export.write_scheduler(own, out)
            self.assertEqual(self.parse(out), own)
            self.assertEqual(self.parse(out, "--text", "1", "--no-fresh-noise").text, 1.0)
            self.assertFalse(self.parse(out, "--text", "1", "--no-fresh-noise").fresh_noise)
            self.assertEqual(self.parse(out, "--steps", "32").s_noise, 1.35)
        self.assertEqual(self.parse("latest.pt"), Sampler())


class Told:
    """A network that answers with what it was given, and counts how often it was asked."""

    asked = 0

    def condition(self, shown):
        return shown["picture_given"] + 2 * shown["text_given"]

    def denoise(self, z, log_snr, c):
        self.asked += 1
        return c.view(-1, 1, 1, 1, 1) + 0 * z


class GuidanceTest(unittest.TestCase):
    given = dict(picture_given=torch.ones(2), matte_given=torch.ones(2), text_given=torch.ones(2))
    how = Sampler(image=1.5, text=2.0, guide_first=-4.0, guide_last=1.0)

    def test_each_clip_is_guided_at_its_own_level(self):
        answer = Guided(Told(), self.given, self.how)(torch.zeros(2, 1, 1, 1, 1), torch.tensor([-5.0, -3.0])).flatten()
        self.assertEqual(answer.tolist(), [3.0, 0 + 1.5 * (1 - 0) + 2.0 * (3 - 1)])

    def test_where_nothing_is_guided_one_pass_is_enough(self):
        network = Told()
        Guided(network, self.given, self.how)(torch.zeros(2, 1, 1, 1, 1), torch.tensor([-5.0, 2.0]))
        self.assertEqual(network.asked, 1)


if __name__ == "__main__":
    unittest.main()
