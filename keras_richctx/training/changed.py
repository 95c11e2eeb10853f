"""An object that is another for a while."""

import contextlib


@contextlib.contextmanager
def changed(thing, **attributes):
    """Gives an object other attributes, or methods, inside the block.

    What Keras does when an attribute of a layer or an optimizer is set, tracking it, is passed by.

    Args:
        thing: any object.
        **attributes: the attributes.

    Example:
        >>> model = keras.Sequential(name="slow")
        >>> with changed(model, predict=lambda x: x + 1):
        ...     model.predict(2)
        3
        >>> "predict" in vars(model)
        False
    """
    own = {name: vars(thing)[name] for name in attributes if name in vars(thing)}
    for name, value in attributes.items():
        object.__setattr__(thing, name, value)
    try:
        yield
    finally:
        for name in attributes:
            if name in own:
                object.__setattr__(thing, name, own[name])
            else:
                object.__delattr__(thing, name)
