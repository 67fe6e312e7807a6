"""The heads of training: what they ask reaches the parts of the network that should learn it, and they ask nothing unfair."""
import unittest

import paths  # noqa: F401, puts tools/training on the path
import settings as S
import torch
from asks import Ask, Part
from batches import Batches
from diffusion import noised, velocity_loss
from draws import Draws
from lessons import Learner, parts_of, reach_of, weight_of
from model import MotionModel
from replicas import Shared
from train import clip_weights


class LessonsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.learner = Learner(MotionModel(S.SMALL))
        self.clean, self.given, self.asks, self.scene = Batches(5, pool=8).draw(4)
        self.level = torch.full((4,), -10.0)

    def lesson(self, shown):
        noisy = noised(self.clean, self.level, Draws(1).normal(*self.clean.shape))
        given = {**self.given, "picture_given": shown}
        self.learner.network(noisy, self.level, given)
        return self.learner.lessons.loss(parts_of(self.scene), self.clean, shown)

    def test_shapes(self):
        self.assertEqual(parts_of(self.scene).shape, (4, 8, 8, 6))
        self.assertEqual(reach_of(self.clean).shape, (4, 8, 8, 16))

    def test_what_the_picture_holds_is_asked_of_the_conditioner(self):
        self.lesson(torch.ones(4)).backward()
        for conv in self.learner.network.conditioner.convs:
            self.assertGreater(float(conv.weight.grad.norm()), 0)

    def test_a_hidden_picture_need_not_be_known(self):
        self.lesson(torch.zeros(4)).backward()
        self.assertEqual(float(self.learner.lessons.parts.weight.grad.norm()), 0)

    def test_how_far_it_moves_is_asked_of_the_unet_before_its_last_block(self):
        self.lesson(torch.zeros(4)).backward()
        unet = self.learner.network.unet
        self.assertGreater(float(unet.up_blocks[0].upsamplers[0].conv.weight.grad.norm()), 0)
        self.assertIsNone(unet.up_blocks[1].resnets[0].spatial_res_block.conv1.weight.grad)

    def test_silent_heads_ask_nothing_until_they_have_learnt_to_read(self):
        self.learner.lessons.begin_silent()
        self.lesson(torch.ones(4)).backward()
        self.assertEqual(sum(float(conv.weight.grad.norm()) for conv in self.learner.network.conditioner.convs), 0)
        self.assertGreater(float(self.learner.lessons.parts.weight.grad.norm()), 0)

    def test_an_older_state_without_lessons_goes_on(self):
        before = Shared(MotionModel(S.SMALL), 1)
        now = Shared(self.learner, 1)
        heads = now.weights[before.weights.numel():].clone()
        now.restore(before.state())
        self.assertTrue(torch.equal(now.weights[:before.weights.numel()], before.weights))
        self.assertTrue(torch.equal(now.weights[before.weights.numel():], heads))
        self.assertGreater(heads.numel(), 0)


class WeightsTest(unittest.TestCase):
    def test_what_moves_little_or_is_hard_counts_more(self):
        ask = lambda target, verb, matte="": Ask("", (Part(target, verb),), matte)
        plain = weight_of(ask("camera", "left"))
        self.assertGreater(weight_of(ask("whole", "wave_x")), plain)
        self.assertGreater(weight_of(ask("object", "sway", "object")), plain)
        self.assertGreater(weight_of(ask("water", "wave")), weight_of(ask("whole", "wave_x")))

    def test_a_hidden_prompt_does_not_speak_through_its_weight(self):
        asks = [Ask("", (Part("water", "wave"),)), Ask("", (Part("camera", "left"),))]
        shown = dict(picture=torch.zeros(2, 3, 64, 64), text_given=torch.zeros(2))
        self.assertEqual(clip_weights(asks, shown).unique().numel(), 1)
        shown["text_given"] = torch.ones(2)
        self.assertEqual(clip_weights(asks, shown).unique().numel(), 2)

    def test_the_loss_is_weighted_and_the_reported_error_is_not(self):
        clean, level = torch.zeros(2, 1, 1, 1, 1), torch.zeros(2)
        predicted = torch.tensor([1.0, 2.0]).view(2, 1, 1, 1, 1)
        loss, error = velocity_loss(predicted, clean, level, torch.tensor([2.0, 0.5]))
        self.assertAlmostEqual(float(loss), (2 * 1 + 0.5 * 4) / 0.5 / 2, places=5)
        self.assertEqual([round(float(e), 5) for e in error], [2.0, 8.0])


if __name__ == "__main__":
    unittest.main()
