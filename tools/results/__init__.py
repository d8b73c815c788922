"""The experiments of the specifications on real models: run them, record their numbers, write docs/results.

    python -m tools.results run DATA --work build/results --inputs build/inputs
    python -m tools.results record --work build/results
    python -m tools.results write

`examples/README.md` says what DATA and the inputs are. A step that is done is not done again.
"""
