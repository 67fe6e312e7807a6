"""A run that was stopped and resumed ends with the very numbers of one that never stopped."""
import os
import subprocess
import sys
import tempfile
import unittest

import paths
import torch

import export


def command(run, steps, *more):
    tool = os.path.join(paths.ROOT, "tools", "training", "train.py")
    options = ["--steps", str(steps), "--batch", "2", "--pool", "8", "--processes", "1", "--stage", "1", "--gate", "0", *more]
    environment = {**os.environ, "RINGWAY_PHOTOS": "", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run([sys.executable, tool, run, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def train(run, steps, *more):
    done = command(run, steps, *more)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return torch.load(os.path.join(run, "latest.pt"))


class ResumeTest(unittest.TestCase):
    def test_resumed_is_uninterrupted(self):
        with tempfile.TemporaryDirectory() as out:
            whole = train(os.path.join(out, "whole"), 4)
            train(os.path.join(out, "halves"), 2)
            halves = train(os.path.join(out, "halves"), 2)
        self.assertEqual(whole["step"], halves["step"])
        for name in whole["shared"]:
            self.assertTrue(torch.equal(whole["shared"][name], halves["shared"][name]), name)

    def test_an_exported_model_is_where_a_new_run_begins(self):
        with tempfile.TemporaryDirectory() as out:
            model, exported = export.random_model(4), os.path.join(out, "model")
            export.export(model, exported)
            state = train(os.path.join(out, "run"), 1, "--begin", exported, "--rate", "0")
        for name, weight in state["ema"].items():
            self.assertTrue(torch.equal(weight.bfloat16(), model.state_dict()[name].bfloat16()), name)

    def test_homework_that_nobody_offers_is_refused_with_what_there_is(self):
        with tempfile.TemporaryDirectory() as out:
            done = command(os.path.join(out, "run"), 1, "--homework", "sky:sway=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'sky:sway=1' is none of", done.stderr)
        self.assertIn("sky:drift_left", done.stderr)


if __name__ == "__main__":
    unittest.main()
