"""Data whose middle cannot be found again: generators, `PyDataset`s, and whatever else Keras reads."""

import keras


class DataSource:
    """What `keras.Model.fit` reads, passed to it as it is; a resumed run starts the interrupted epoch over.

    `DatasetSource` is the kind whose position can be found again within an epoch.

    Args:
        data: what `keras.Model.fit` takes as `x`.
        steps: integer, steps of an epoch, or `None` where only reading it tells.
        batch_size: integer, or `None` where it is not known or for Keras to choose. Recorded in checkpoints, so that a change is noticed.
        **arguments: further arguments for `keras.Model.fit` that belong to the data, such as `y`.
    """

    exact = False

    def __init__(self, data, steps=None, batch_size=None, **arguments):
        self.data = data
        self.steps = steps
        self.batch_size = batch_size
        self._arguments = arguments

    def arguments(self, start):
        """Returns, as a dict, the arguments with which `keras.Model.fit` reads from the `Position` `start` on."""
        return {"x": self.data, "batch_size": self.batch_size, **self._arguments}

    def callbacks(self, start):
        """Returns a list of the callbacks that reading from the `Position` `start` on needs."""
        return []

    def batch_spec(self):
        """Returns the shapes and dtypes of a batch as a nest of `keras.KerasTensor`, or `None` where that would use up data."""
        if not isinstance(self.data, keras.utils.PyDataset):
            return None
        return keras.tree.map_structure(lambda leaf: keras.KerasTensor((None, *leaf.shape[1:]), str(leaf.dtype)), self.data[0])

    def describe(self):
        """Returns what a checkpoint records about the data, to notice when a later run brings another."""
        return {"steps": self.steps, "batch_size": self.batch_size}
