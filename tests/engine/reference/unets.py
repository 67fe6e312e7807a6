"""The two UNets: Stable Diffusion 1.x, 2.x and XL, which see pictures, and Stable Video Diffusion, which sees clips."""
import torch
from blocks import Down, Resnet, TimeEmbedding, TransformerBlock, Up, sinusoid
from spatio_temporal import SpatioTemporalResnet, SpatioTemporalTransformer
from torch import nn
from torch.nn import functional as F


class SdTransformer(nn.Module):
    """Projections are 1 x 1 convolutions (1.x) or linear layers on the tokens (2.x)."""

    def __init__(self, channels, heads, context, layers, linear=False, groups=32):
        super().__init__()
        self.linear = linear
        project = (lambda: nn.Linear(channels, channels)) if linear else (lambda: nn.Conv2d(channels, channels, 1))
        self.norm = nn.GroupNorm(groups, channels, eps=1e-6)
        self.proj_in = project()
        self.transformer_blocks = nn.ModuleList([TransformerBlock(channels, heads, context) for _ in range(layers)])
        self.proj_out = project()

    def forward(self, x, context):
        tokens = lambda t: t.flatten(2).transpose(1, 2)
        picture = lambda t: t.transpose(1, 2).reshape(x.shape)
        h = self.norm(x)
        h = self.proj_in(tokens(h)) if self.linear else tokens(self.proj_in(h))
        for block in self.transformer_blocks:
            h = block(h, context)
        return (picture(self.proj_out(h)) if self.linear else self.proj_out(picture(h))) + x


class Block(nn.Module):
    def __init__(self, resnets, attentions, down=None, up=None):
        super().__init__()
        self.resnets = nn.ModuleList(resnets)
        if attentions:
            self.attentions = nn.ModuleList(attentions)
        if down:
            self.downsamplers = nn.ModuleList([down])
        if up:
            self.upsamplers = nn.ModuleList([up])


class UNet(nn.Module):
    """The skeleton; make_resnet(in, out, part, attends) and make_transformer(channels, level) tell the families apart."""

    def __init__(self, config, make_resnet, make_transformer):
        super().__init__()
        widths, layers = config["block_out_channels"], config["layers_per_block"]
        attends_down = ["CrossAttn" in t for t in config["down_block_types"]]
        attends_up = ["CrossAttn" in t for t in config["up_block_types"]]
        last = len(widths) - 1
        self.conv_in = nn.Conv2d(config["in_channels"], widths[0], 3, padding=1)
        self.time_embedding = TimeEmbedding(widths[0], 4 * widths[0])
        self.down_blocks, self.up_blocks = nn.ModuleList(), nn.ModuleList()
        skips, channels = [widths[0]], widths[0]
        for i, width in enumerate(widths):
            resnets, attentions = [], []
            for _ in range(layers):
                resnets.append(make_resnet(channels, width, "down", attends_down[i]))
                attentions += [make_transformer(width, i)] if attends_down[i] else []
                channels = width
                skips.append(width)
            if i < last:
                skips.append(width)
            self.down_blocks.append(Block(resnets, attentions, down=Down(width) if i < last else None))
        middle = [make_resnet(channels, channels, "mid", True) for _ in range(2)]
        self.mid_block = Block(middle, [make_transformer(channels, last)])
        for i, width in enumerate(reversed(widths)):
            resnets, attentions = [], []
            for _ in range(layers + 1):
                resnets.append(make_resnet(channels + skips.pop(), width, "up", attends_up[i]))
                attentions += [make_transformer(width, last - i)] if attends_up[i] else []
                channels = width
            self.up_blocks.append(Block(resnets, attentions, up=Up(width) if i < last else None))
        self.conv_norm_out = nn.GroupNorm(config.get("norm_num_groups", 32), widths[0], eps=1e-5)
        self.conv_out = nn.Conv2d(widths[0], config["out_channels"], 3, padding=1)

    def half(self, x, resnet, transformer, moved=lambda block, i, x: x):
        """From behind conv_in down, and the middle. `moved`: what stands behind each layer, in networks that draw films."""
        skips = [x]
        for block in self.down_blocks:
            for i, layer in enumerate(block.resnets):
                x = resnet(layer, x)
                x = transformer(block.attentions[i], x) if hasattr(block, "attentions") else x
                x = moved(block, i, x)
                skips.append(x)
            if hasattr(block, "downsamplers"):
                x = block.downsamplers[0](x)
                skips.append(x)
        x = resnet(self.mid_block.resnets[0], x)
        x = moved(self.mid_block, 0, transformer(self.mid_block.attentions[0], x))
        return skips, resnet(self.mid_block.resnets[1], x)

    def run(self, x, resnet, transformer, added=None, moved=lambda block, i, x: x):
        """`added`: to the skips and to the middle, what a control network says."""
        skips, x = self.half(self.conv_in(x), resnet, transformer, moved)
        if added is not None:
            skips, x = [s + a for s, a in zip(skips, added[0])], x + added[1]
        for block in self.up_blocks:
            for i, layer in enumerate(block.resnets):
                x = resnet(layer, torch.cat([x, skips.pop()], dim=1))
                x = transformer(block.attentions[i], x) if hasattr(block, "attentions") else x
                x = moved(block, i, x)
            if hasattr(block, "upsamplers"):
                x = block.upsamplers[0](x, list(skips[-1].shape[2:]))
        return self.conv_out(F.silu(self.conv_norm_out(x)))


class SdUNet(UNet):
    def __init__(self, config):
        widths, time = config["block_out_channels"], 4 * config["block_out_channels"][0]
        heads = config["attention_head_dim"]  # whose name has always meant the number of heads
        heads = heads if isinstance(heads, list) else [heads] * len(widths)
        depths = config.get("transformer_layers_per_block", [1] * len(widths))
        groups = config.get("norm_num_groups", 32)
        super().__init__(
            config,
            lambda a, b, part, attends: Resnet(a, b, time, 1e-5, groups),
            lambda c, level: SdTransformer(c, heads[level], config["cross_attention_dim"], depths[level],
                                           config.get("use_linear_projection", False), groups))
        self.width = widths[0]
        if "time_cond_proj_dim" in config:
            self.time_embedding.cond_proj = nn.Linear(config["time_cond_proj_dim"], widths[0], bias=False)
        if "addition_embed_type" in config:  # XL
            self.sizes = config["addition_time_embed_dim"]
            self.add_embedding = TimeEmbedding(config["projection_class_embeddings_input_dim"], time)

    def embedding(self, sample, time, guidance=None, summary=None, sizes=None):
        """For XL: summary [pictures, c] of the prompts, sizes [pictures, 6]."""
        rows = sinusoid(time, self.width)
        if guidance is not None:
            rows = rows + self.time_embedding.cond_proj(guidance)
        embedding = self.time_embedding(rows).expand(sample.shape[0], -1)
        if summary is not None:
            waves = sinusoid(sizes.flatten(), self.sizes).reshape(len(sizes), -1)
            embedding = embedding + self.add_embedding(torch.cat([summary, waves], dim=-1))
        return embedding

    def forward(self, sample, time, context, guidance=None, summary=None, sizes=None, added=None):
        embedding = self.embedding(sample, time, guidance, summary, sizes)
        return self.run(sample, lambda m, x: m(x, embedding), lambda m, x: m(x, context), added)


def svd_epsilon(part, attends):
    if part == "mid" or (part == "down" and not attends):
        return 1e-5
    return 1e-6


class SvdUNet(UNet):
    def __init__(self, config):
        widths, time = config["block_out_channels"], 4 * config["block_out_channels"][0]
        heads, depth = config["num_attention_heads"], config["transformer_layers_per_block"]
        super().__init__(
            config,
            lambda a, b, part, attends: SpatioTemporalResnet(a, b, time, svd_epsilon(part, attends)),
            lambda c, level: SpatioTemporalTransformer(c, heads[level], config["cross_attention_dim"], depth))
        self.width, self.added = widths[0], config["addition_time_embed_dim"]
        self.add_embedding = TimeEmbedding(config["projection_class_embeddings_input_dim"], time)

    def forward(self, sample, time, added, context, frames):
        """sample [clips * frames, c, h, w], added [clips, 3], context [clips, tokens, d]."""
        clips = sample.shape[0] // frames
        embedding = self.time_embedding(sinusoid(time.expand(clips), self.width))
        embedding = embedding + self.add_embedding(sinusoid(added.flatten(), self.added).reshape(clips, -1))
        embedding = embedding.repeat_interleave(frames, dim=0)
        context = context.repeat_interleave(frames, dim=0)
        return self.run(sample, lambda m, x: m(x, frames, embedding), lambda m, x: m(x, frames, context))
