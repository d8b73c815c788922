"""The public names of transforming: presets, transforms, their results, files in and out, `TextCorruptor`."""

from salva._presets import BUNDLES, FAMILIES, PRESETS, Family, Preset, Validity, describe_validity
from salva.edits.protect import RowSpans
from salva.transforms.batches import transform_batches
from salva.transforms.corruptor import CorruptionWeights, TextCorruptor
from salva.transforms.engines import ENGINES
from salva.transforms.files import fit_files, revert_file, transform_file
from salva.transforms.folders import transform_folder
from salva.transforms.output_folder import FolderManifest
from salva.transforms.presets import as_toml, expand_names, preset, presets, restore
from salva.transforms.transform import Protected, Transform
from salva.transforms.twins import Summary, Twins
from salva.transforms.vocabulary import write_vocabulary

__all__ = [
    "BUNDLES",
    "ENGINES",
    "FAMILIES",
    "PRESETS",
    "CorruptionWeights",
    "Family",
    "FolderManifest",
    "Preset",
    "Protected",
    "RowSpans",
    "Summary",
    "TextCorruptor",
    "Transform",
    "Twins",
    "Validity",
    "as_toml",
    "describe_validity",
    "expand_names",
    "fit_files",
    "preset",
    "presets",
    "restore",
    "revert_file",
    "transform_batches",
    "transform_file",
    "transform_folder",
    "write_vocabulary",
]
