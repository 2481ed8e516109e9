"""The record: decisions that a person signed, from plain files in a ledger.

A *migration* is one file and the only way in (``migration.py``, ``operations.py``); ``replay.py``
turns a set of them into a state, whatever the order in which they came.
"""
