"""The public names of transforming: presets, transforms, their results, files in and out, `TextCorruptor`."""

from salva._presets import PRESETS, Preset
from salva.transforms.corruptor import CorruptionWeights, TextCorruptor
from salva.transforms.files import fit_files, revert_file, transform_file
from salva.transforms.presets import as_toml, preset, presets
from salva.transforms.transform import Transform
from salva.transforms.twins import Summary, Twins
from salva.transforms.vocabulary import write_vocabulary

__all__ = [
    "PRESETS",
    "CorruptionWeights",
    "Preset",
    "Summary",
    "TextCorruptor",
    "Transform",
    "Twins",
    "as_toml",
    "fit_files",
    "preset",
    "presets",
    "revert_file",
    "transform_file",
    "write_vocabulary",
]
