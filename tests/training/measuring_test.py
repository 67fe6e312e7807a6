"""What an evaluation compares with: the truth, sampled often enough, and a sampler that options change as they say."""
import argparse
import tempfile
import unittest

import paths  # noqa: F401
import torch

import evaluate
import export
from cases import verb_clips
from diffusion import Sampler

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
            own = Sampler(6, text=2.0, fresh_noise=True, steady_affine=True, first_mean_y=1.35, lean=0.7)
            export.write_scheduler(own, out)
            self.assertEqual(self.parse(out), own)
            self.assertEqual(self.parse(out, "--text", "1", "--no-fresh-noise").text, 1.0)
            self.assertFalse(self.parse(out, "--text", "1", "--no-fresh-noise").fresh_noise)
            self.assertEqual(self.parse(out, "--steps", "32").first_mean_y, 1.35)
        self.assertEqual(self.parse("latest.pt"), Sampler())


if __name__ == "__main__":
    unittest.main()
