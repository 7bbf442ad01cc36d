"""The differential fuzzer: random models through everything that can be asked of a model, each answer by two ways that
share nothing.

`python -m bench.fuzz --minutes 10 --seed 1` runs it; `--case 12` runs one case again, `--file finding.yaml` what a
finding was written to.

recipe.py, trees.py, loops.py, loads.py, random_models.py   a seed -> a model file
subject.py, oracle.py                                       the model read, its equations, regular states; the same by
                                                            plain numerics
checks_of_*.py, catalogue.py                                the questions, each a function of a subject
trial.py, shrink.py, tally.py, __main__.py                  a case in limits of time and memory, the smallest that still
fails, what is printed

`python -m bench.fuzz --readers` damages files: a sample of every reader, mutated from a seed, is read or refused by an error
of ours.

reader_samples.py, samples_of_elements.py, sample_texts.py   a file of every format, and what is asked of it
mutations.py, reader_trials.py, readers.py                   damage, processes that read it, what is printed
"""
