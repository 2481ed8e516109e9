"""Derived and disposable: what is searched. Everything above reaches it through ``protocol``."""
