"""A tiny autoencoder (TAESD, by O. Boer Bohan), with the names that diffusers gives its weights (AutoencoderTiny)."""
import torch
from torch import nn
from torch.nn import functional as F


class TinyBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        conv = lambda: nn.Conv2d(channels, channels, 3, padding=1)
        self.conv = nn.Sequential(conv(), nn.ReLU(), conv(), nn.ReLU(), conv())

    def forward(self, x):
        return F.relu(self.conv(x) + x)


class TinyDecoder(nn.Module):
    """Latents are squashed to three times their tangent, so that no outlier spoils a preview; a picture from -1 to 1."""

    def __init__(self, config):
        super().__init__()
        widths, blocks = config["decoder_block_out_channels"], config["num_decoder_blocks"]
        layers = [nn.Conv2d(config["latent_channels"], widths[0], 3, padding=1), nn.ReLU()]
        for i, (width, count) in enumerate(zip(widths, blocks)):
            last = i + 1 == len(blocks)
            layers += [TinyBlock(width) for _ in range(count)]
            layers += [] if last else [nn.Upsample(scale_factor=2)]
            layers += [nn.Conv2d(width, config["out_channels"] if last else width, 3, padding=1, bias=last)]
        self.layers = nn.Sequential(*layers)

    def forward(self, latents):
        return self.layers(torch.tanh(latents / 3) * 3) * 2 - 1


class TinyEncoder(nn.Module):
    """A picture from -1 to 1; its latents, which are no distribution."""

    def __init__(self, config):
        super().__init__()
        widths, blocks = config["encoder_block_out_channels"], config["num_encoder_blocks"]
        layers = []
        for i, (width, count) in enumerate(zip(widths, blocks)):
            layers += [nn.Conv2d(width, width, 3, padding=1, stride=2, bias=False) if i else
                       nn.Conv2d(config["in_channels"], width, 3, padding=1)]
            layers += [TinyBlock(width) for _ in range(count)]
        layers += [nn.Conv2d(widths[-1], config["latent_channels"], 3, padding=1)]
        self.layers = nn.Sequential(*layers)

    def forward(self, picture):
        return self.layers((picture + 1) / 2)


class Tiny(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder, self.decoder = TinyEncoder(config), TinyDecoder(config)

    def encode(self, picture):
        return self.encoder(picture)

    def decode(self, latents):
        return self.decoder(latents)
