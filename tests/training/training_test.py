"""A run that was stopped and resumed ends with the very numbers of one that never stopped."""
import os
import subprocess
import sys
import tempfile
import unittest

import paths
import torch


def train(run, steps):
    tool = os.path.join(paths.ROOT, "tools", "training", "train.py")
    options = ["--steps", str(steps), "--batch", "2", "--pool", "8", "--processes", "1", "--stage", "1", "--gate", "0"]
    environment = {**os.environ, "RINGWAY_PHOTOS": "", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([sys.executable, tool, run, *options], check=True, stdout=subprocess.DEVNULL, env=environment)
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


if __name__ == "__main__":
    unittest.main()
