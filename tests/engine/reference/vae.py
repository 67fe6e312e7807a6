"""The autoencoders: an ordinary encoder, and a decoder that looks along time (Stable Video Diffusion) or does not."""
from blocks import Down, PixelAttention, Resnet, Up
from spatio_temporal import SpatioTemporalResnet
from torch import nn
from torch.nn import functional as F
from unets import Block


class Encoder(nn.Module):
    def __init__(self, widths, layers, latent, groups=32):
        super().__init__()
        self.conv_in = nn.Conv2d(3, widths[0], 3, padding=1)
        self.down_blocks, channels = nn.ModuleList(), widths[0]
        for i, width in enumerate(widths):
            resnets = [Resnet(channels if j == 0 else width, width, None, 1e-6, groups) for j in range(layers)]
            self.down_blocks.append(Block(resnets, [], down=Down(width, True) if i < len(widths) - 1 else None))
            channels = width
        self.mid_block = Block([Resnet(channels, channels, None, 1e-6, groups) for _ in range(2)], [PixelAttention(channels, groups=groups)])
        self.conv_norm_out = nn.GroupNorm(groups, channels, eps=1e-6)
        self.conv_out = nn.Conv2d(channels, 2 * latent, 3, padding=1)

    def forward(self, x):
        x = self.conv_in(x)
        for block in self.down_blocks:
            for resnet in block.resnets:
                x = resnet(x)
            if hasattr(block, "downsamplers"):
                x = block.downsamplers[0](x)
        x = self.mid_block.resnets[1](self.mid_block.attentions[0](self.mid_block.resnets[0](x)))
        return self.conv_out(F.silu(self.conv_norm_out(x)))


class Decoder(nn.Module):
    def __init__(self, widths, layers, latent):
        super().__init__()
        block = lambda a, b: SpatioTemporalResnet(a, b, None, 1e-6, 1e-5, swapped=True)
        channels = widths[-1]
        self.conv_in = nn.Conv2d(latent, channels, 3, padding=1)
        self.mid_block = Block([block(channels, channels) for _ in range(layers)], [PixelAttention(channels)])
        self.up_blocks = nn.ModuleList()
        for i, width in enumerate(reversed(widths)):
            resnets = [block(channels if j == 0 else width, width) for j in range(layers + 1)]
            self.up_blocks.append(Block(resnets, [], up=Up(width) if i < len(widths) - 1 else None))
            channels = width
        self.conv_norm_out = nn.GroupNorm(32, channels, eps=1e-6)
        self.conv_out = nn.Conv2d(channels, 3, 3, padding=1)
        self.time_conv_out = nn.Conv3d(3, 3, (3, 1, 1), padding=(1, 0, 0))

    def forward(self, x, frames):
        x = self.conv_in(x)
        x = self.mid_block.resnets[0](x, frames)
        for resnet, attention in zip(self.mid_block.resnets[1:], self.mid_block.attentions):
            x = resnet(attention(x), frames)
        for block in self.up_blocks:
            for resnet in block.resnets:
                x = resnet(x, frames)
            if hasattr(block, "upsamplers"):
                x = block.upsamplers[0](x)
        x = self.conv_out(F.silu(self.conv_norm_out(x)))
        video = x.reshape(-1, frames, *x.shape[1:]).permute(0, 2, 1, 3, 4)
        return self.time_conv_out(video).permute(0, 2, 1, 3, 4).reshape(x.shape)


class PictureDecoder(nn.Module):
    def __init__(self, widths, layers, latent, groups=32):
        super().__init__()
        channels = widths[-1]
        self.conv_in = nn.Conv2d(latent, channels, 3, padding=1)
        self.mid_block = Block([Resnet(channels, channels, None, 1e-6, groups) for _ in range(2)], [PixelAttention(channels, groups=groups)])
        self.up_blocks = nn.ModuleList()
        for i, width in enumerate(reversed(widths)):
            resnets = [Resnet(channels if j == 0 else width, width, None, 1e-6, groups) for j in range(layers + 1)]
            self.up_blocks.append(Block(resnets, [], up=Up(width) if i < len(widths) - 1 else None))
            channels = width
        self.conv_norm_out = nn.GroupNorm(groups, channels, eps=1e-6)
        self.conv_out = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x):
        x = self.conv_in(x)
        x = self.mid_block.resnets[1](self.mid_block.attentions[0](self.mid_block.resnets[0](x)))
        for block in self.up_blocks:
            for resnet in block.resnets:
                x = resnet(x)
            if hasattr(block, "upsamplers"):
                x = block.upsamplers[0](x)
        return self.conv_out(F.silu(self.conv_norm_out(x)))


class PictureVae(nn.Module):
    """AutoencoderKL: one point of the latents is the first half of what encode gives, the mean."""

    def __init__(self, config):
        super().__init__()
        widths, layers, latent = config["block_out_channels"], config["layers_per_block"], config["latent_channels"]
        groups = config.get("norm_num_groups", 32)
        self.encoder = Encoder(widths, layers, latent, groups)
        self.decoder = PictureDecoder(widths, layers, latent, groups)
        self.quant_conv = nn.Conv2d(2 * latent, 2 * latent, 1)
        self.post_quant_conv = nn.Conv2d(latent, latent, 1)

    def encode(self, picture):
        return self.quant_conv(self.encoder(picture))

    def decode(self, latent):
        return self.decoder(self.post_quant_conv(latent))


class Vae(nn.Module):
    def __init__(self, config):
        super().__init__()
        widths, layers, latent = config["block_out_channels"], config["layers_per_block"], config["latent_channels"]
        self.encoder = Encoder(widths, layers, latent)
        self.decoder = Decoder(widths, layers, latent)
        self.quant_conv = nn.Conv2d(2 * latent, 2 * latent, 1)
