"""Initializers that several weights share."""


def fresh_initializer(initializer):
    """Copies an initializer, since one that is used twice draws the same numbers twice; one with a seed of its own draws the same in its copies too."""
    return type(initializer).from_config(initializer.get_config())
