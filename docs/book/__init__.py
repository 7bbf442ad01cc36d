"""The book: pages, reference and gallery as one site that is read without a network.

    python -m docs.book

writes it to `site/`. Pages are the Markdown files of `docs`; the reference is made from docstrings (`reference`), the
gallery and the tutorials from cells that are run (`cells`, `running`), and of every one of these a notebook is made
(`notebooks`). Sphinx puts them together and refuses links that lead nowhere (`site`).
"""
