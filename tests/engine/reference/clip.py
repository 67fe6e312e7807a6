"""CLIP's text and picture encoders, with the names of transformers' checkpoints."""
import math

import torch
from torch import nn
from torch.nn import functional as F

ACTIVATIONS = {"gelu": F.gelu, "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x)}


class SelfAttention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(channels, channels))

    def forward(self, x, mask):
        split = lambda t: t.reshape(*t.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        return self.out_proj(((scores + mask).softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self, channels, hidden, activation):
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.fc1, self.fc2 = nn.Linear(channels, hidden), nn.Linear(hidden, channels)

    def forward(self, x):
        return self.fc2(self.activation(self.fc1(x)))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.layer_norm1 = nn.LayerNorm(c["hidden_size"])
        self.self_attn = SelfAttention(c["hidden_size"], c["num_attention_heads"])
        self.layer_norm2 = nn.LayerNorm(c["hidden_size"])
        self.mlp = Mlp(c["hidden_size"], c["intermediate_size"], c["hidden_act"])

    def forward(self, x, mask):
        x = x + self.self_attn(self.layer_norm1(x), mask)
        return x + self.mlp(self.layer_norm2(x))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.layers = nn.ModuleList([Layer(c) for _ in range(c["num_hidden_layers"])])

    def forward(self, x, mask, skipped=0):
        return self.states(x, mask)[len(self.layers) - skipped]

    def states(self, x, mask):
        """What each layer reads, and what the last one gives."""
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], mask))
        return states


class TextModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embeddings = nn.Module()
        self.embeddings.token_embedding = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.embeddings.position_embedding = nn.Embedding(c["max_position_embeddings"], c["hidden_size"])
        self.encoder = Encoder(c)
        self.final_layer_norm = nn.LayerNorm(c["hidden_size"])

    def forward(self, ids, skipped=0):
        return self.final_layer_norm(self.states(ids)[len(self.encoder.layers) - skipped])

    def states(self, ids):
        x = self.embeddings.token_embedding(ids) + self.embeddings.position_embedding.weight
        mask = torch.full((ids.shape[1], ids.shape[1]), -math.inf, dtype=x.dtype, device=x.device).triu(1)
        return self.encoder.states(x, mask)


class Text(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.text_model = TextModel(c)

    def forward(self, ids, skipped=0):
        return self.text_model(ids, skipped)


class ProjectedText(Text):
    """OpenCLIP's text encoder as Stable Diffusion XL has it (CLIPTextModelWithProjection)."""

    def __init__(self, c):
        super().__init__(c)
        self.text_projection = nn.Linear(c["hidden_size"], c["projection_dim"], bias=False)

    def summary(self, ids):
        """The row of the first token with the highest number, the end's, after all layers and the norm."""
        last = self(ids)
        return self.text_projection(last[torch.arange(len(ids)), ids.argmax(-1)])


class VisionModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, patch = c["hidden_size"], c["patch_size"]
        self.embeddings = nn.Module()
        self.embeddings.class_embedding = nn.Parameter(torch.zeros(width))
        self.embeddings.patch_embedding = nn.Conv2d(3, width, patch, stride=patch, bias=False)
        self.embeddings.position_embedding = nn.Embedding((c["image_size"] // patch) ** 2 + 1, width)
        self.pre_layrnorm = nn.LayerNorm(width)
        self.encoder = Encoder(c)
        self.post_layernorm = nn.LayerNorm(width)

    def forward(self, picture):
        x = self.embeddings.patch_embedding(picture).flatten(2).transpose(1, 2)
        x = torch.cat([self.embeddings.class_embedding.expand(x.shape[0], 1, -1), x], dim=1)
        x = self.encoder(self.pre_layrnorm(x + self.embeddings.position_embedding.weight), 0.0)
        return self.post_layernorm(x[:, 0])


class Vision(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.vision_model = VisionModel(c)
        self.visual_projection = nn.Linear(c["hidden_size"], c["projection_dim"], bias=False)

    def forward(self, picture):
        return self.visual_projection(self.vision_model(picture))
