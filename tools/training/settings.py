"""The numbers that training, evaluation and the engine must agree on; the engine reads them from config.json."""
from dataclasses import asdict, dataclass

GRID = 16              # side of the motion field
FRAMES = 16            # frames of the field; frame 0, the picture itself, is not one of them
PATCH = 2              # 2 frames x 2 x 2 cells of the field are one token of the UNet
PICTURE = 64           # side of the picture that the conditioner sees
TOKENS = 16            # words of a prompt, padded
LOG_SNR = (-12.0, 3.0)  # the noisiest and the cleanest level

# The field is divided by one number per frame: about the root mean square of the training truth.
FIELD_SCALE = (0.0056, 0.0104, 0.0148, 0.0189, 0.0226, 0.0256, 0.0281, 0.0300,
               0.0316, 0.0330, 0.0344, 0.0359, 0.0378, 0.0399, 0.0421, 0.0443)

PACKED_CHANNELS = 2 * PATCH**3
PACKED_FRAMES = FRAMES // PATCH
PACKED_GRID = GRID // PATCH


@dataclass(frozen=True)
class NetworkSettings:
    """Widths of the three components. Widths of the UNet are multiples of 32 (its group norms)."""

    channels: tuple = (96, 128)
    attends: tuple = (False, True)
    heads: tuple = (4, 4)
    text_channels: int = 96
    text_layers: int = 2
    text_heads: int = 4
    text_hidden: int = 192
    planes: int = 48
    picture_channels: tuple = (32, 64, 96)
    added_channels: int = 32

    def as_json(self):
        return asdict(self)

    @staticmethod
    def from_json(values):
        return NetworkSettings(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


SMALL = NetworkSettings()
