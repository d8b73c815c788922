"""What is run: one step per model, run of `salva evaluate`, training on PCFG SET, and score of vectors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEANING = ("natural", "misspellings", "contractions", "case", "punctuation", "spaces", "natural+misspellings")
DOCUMENTS = ("hybrid", "synonyms", "typos", "corrupt")
SEEDS = (0, 1, 2)
SEVERITIES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # of the specification of corrupt; 0 is the clean text
CONDITIONS = ("primitive", "equally_distributed")
LANGUAGES = ("EN", "DE", "FR", "IT")
# The encoder is also trained with twins of these presets among its texts, made with another seed.
AUGMENTED = {"encoder-documents": DOCUMENTS, "encoder-natural": ("natural+misspellings",)}
TWIN_SEED = 1
RUNS = ("all", "splice", "severities")


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the data is and where results go; the rest makes everything smaller, to try it out."""

    data: Path
    work: Path
    inputs: Path
    sample: int | None = None
    steps: int | None = None
    epochs: float | None = None
    lines: int | None = None
    size: str | None = None
    seeds: tuple[int, ...] = SEEDS


@dataclass(frozen=True, slots=True)
class Step:
    """A command, what it makes last, and the files that it needs; `output` gets what it prints."""

    name: str
    command: tuple[str, ...]
    makes: Path
    needs: tuple[Path, ...] = ()
    output: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[Path, str], ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether the step was done before."""
        return self.makes.exists()

    @property
    def slug(self) -> str:
        """The name as that of a file."""
        return self.name.replace("/", "-").replace(" ", "-")

    @property
    def shown(self) -> str:
        """The command as a user writes it, with short names of places."""
        words = [f"{name}={value}" for name, value in self.environment]
        words += ["python", *self.command[1:]]
        text = " ".join(words).replace("python -m salva ", "salva ")
        for place, name in self.places:
            text = text.replace(str(place), name)
        return text if self.output is None else f"{text} > {self.output.name}"


@dataclass(frozen=True, slots=True)
class Subject:
    """A model to evaluate: its name, its spec, the file that it is saved in last, and its environment."""

    name: str
    spec: str
    file: Path
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    runs: tuple[str, ...] = RUNS


def list_steps(plan: Plan) -> list[Step]:
    """Return all steps, each after those that it needs."""
    subjects = list_subjects(plan)
    evaluations = [step for subject in subjects for step in _evaluations(plan, subject)]
    steps = [*_trainings(plan), *evaluations, *_sequences(plan), *_outliers(plan)]
    places = ((plan.data, "DATA"), (plan.work, "WORK"), (plan.inputs, "INPUTS"), (ROOT, "."))
    return [replace(step, places=places) for step in steps]


def list_subjects(plan: Plan) -> list[Subject]:
    """Return the models of film reviews."""
    models = plan.work / "models"
    tfidf = models / "tfidf.skops"
    subjects = [Subject("tfidf", f"skops:{tfidf}", tfidf)]
    for seed in plan.seeds:
        folder = models / f"simple-{seed}"
        subjects.append(
            Subject(
                f"simple-{seed}",
                "python:examples.imdb.simple_transformer:predict",
                folder / "model.safetensors",
                ("-M", f"model_id=seed {seed}", "-M", "batch_size=2048"),
                (("SIMPLE_TRANSFORMER", str(folder)),),
                RUNS if seed == plan.seeds[0] else ("severities",),
            )
        )
    subjects.append(Subject("encoder", f"hf:{models / 'encoder'}", models / "encoder/training.json"))
    for name in AUGMENTED:
        place = models / name
        subjects.append(Subject(name, f"hf:{place}", place / "training.json", runs=("all",)))
    return subjects


def _python(*words: object) -> tuple[str, ...]:
    return (sys.executable, *map(str, words))


def _salva(*words: object) -> tuple[str, ...]:
    return _python("-m", "salva", *words)


def _option(name: str, value: object) -> tuple[str, ...]:
    return () if value is None else (name, str(value))


def _trainings(plan: Plan) -> Iterator[Step]:
    train, models, minilm = plan.data / "imdb/train.parquet", plan.work / "models", plan.inputs / "minilm"
    tfidf = models / "tfidf.skops"
    yield Step("tfidf", _python("examples/imdb/tfidf.py", train, "-o", tfidf), tfidf, (train,))
    for seed in plan.seeds:
        place = models / f"simple-{seed}"
        words = _python("examples/imdb/simple_transformer.py", train, "-o", place, "--seed", seed)
        words += _option("--steps", plan.steps)
        yield Step(f"simple-{seed}", words, place / "model.safetensors", (train,))
    fine_tune = _python("examples/imdb/encoder.py", minilm, train) + _option("--epochs", plan.epochs)
    place = models / "encoder"
    yield Step("encoder", (*fine_tune, "-o", str(place)), place / "training.json", (train, minilm))
    for name, presets in AUGMENTED.items():
        place, twins = models / name, [plan.work / f"twins/{preset}.parquet" for preset in presets]
        for preset, path in zip(presets, twins, strict=True):
            words = _salva("transform", train, "-o", path, "--preset", preset, "--seed", TWIN_SEED, "-q")
            yield Step(f"twins of {preset}", words, path, (train,))
        given = [word for path in twins for word in ("--twins", str(path))]
        words = (*fine_tune, *given, "-o", str(place))
        yield Step(name, words, place / "training.json", (train, minilm, *twins))


def _evaluations(plan: Plan, subject: Subject) -> Iterator[Step]:
    test, train = plan.data / "imdb/test.parquet", plan.data / "imdb/train.parquet"
    every = [word for name in (*MEANING, *DOCUMENTS) for word in ("--preset", name)]
    package = ("--preset", "corrupt", "--preset", "examples/imdb/package.toml", "-S", f"fit={test},{train}")
    splice = [word for name in DOCUMENTS for word in ("--preset", f"examples/imdb/splice/{name}.toml")]
    severities = [word for severity in SEVERITIES for word in ("--severity", severity)]
    runs: dict[str, tuple[object, ...]] = {
        "all": tuple(every),
        "splice": (*splice, "--severity", 1, "-S", "blame_calls=0"),
        "severities": (*package, *severities, "--seed", 1, "-S", "blame_calls=0"),
    }
    for name in subject.runs:
        options = runs[name]
        folder = plan.work / "runs" / subject.name / name
        words = _salva("evaluate", test, "--model", subject.spec, *options, "-o", folder, "-q")
        words += (*subject.options, *_option("--sample", plan.sample))
        yield Step(
            f"{subject.name}/{name}",
            words,
            folder / "results.json",
            (test, subject.file),
            environment=subject.environment,
        )


def _sequences(plan: Plan) -> Iterator[Step]:
    """Yield the steps of the test with PCFG SET."""
    corpus = plan.work / "pcfg"
    words = _salva("twins", "generate", "-o", corpus, "-q", *_option("--lines", plan.lines))
    # The folder of the conditions is written last.
    generated = corpus / "substitutivity/primitive/test_twin.src"
    yield Step("pcfg", words, generated)
    for condition in CONDITIONS:
        for seed in plan.seeds:
            folder = plan.work / f"sequences/{condition}-{seed}"
            pairs, model = corpus / f"substitutivity/{condition}", folder / "model.safetensors"
            words = _python("examples/pcfg/model.py", pairs, "-o", folder, "--seed", seed)
            words += (*_option("--steps", plan.steps), *_option("--size", plan.size))
            yield Step(f"training of {condition}-{seed}", words, model, (generated,))
            words = _salva("evaluate", pairs, "--model", "python:examples.pcfg.model:answer", "-q")
            words += ("-o", str(folder / "run"), "-M", f"model_id={folder.name}", "-M", "batch_size=4096")
            known = (("PCFG_MODEL", str(folder)),)
            yield Step(f"{condition}-{seed}", words, folder / "run/results.json", (model,), environment=known)


def _outliers(plan: Plan) -> Iterator[Step]:
    """Yield the steps of the test with word vectors."""
    from tools.results.vectors import SOURCES

    sets = plan.data / "hamod"
    for name, source in SOURCES.items():
        file, folder = plan.work / f"vectors/{name}.txt", plan.inputs / source.folder
        needs = (sets,) if source.spec else (file, sets)
        if not source.spec:
            words = _python("examples/outliers/word_vectors.py", name, folder, sets, "-o", file)
            yield Step(f"vectors of {name}", words, file, (folder, sets))
        for language in source.languages:
            place = plan.work / f"outliers/{name}-{language}.json"
            vectors = source.spec or file
            words = _salva("outliers", "score", sets, "--language", language, "--vectors", vectors)
            words += ("--mend", "--min-coverage", "0", "--json")
            yield Step(f"outliers {name} {language}", words, place, needs, output=place)
