"""The groups of layers of a model, from the one next to the input to the one next to the output."""

import keras


def layer_groups(groups):
    """Returns the trainable variables of each group, lowest first.

    Args:
        groups: a `keras.Model`: the groups that its `layer_groups()` gives, or each of its layers with weights where it has no such method; or a list, each
            item of which is a layer, a variable, or a list of them.

    Returns:
        A list of lists of `keras.Variable`.

    Raises:
        ValueError: if there is no group, one has no trainable variable (a layer that is not built has none), or a variable is in two of them.
    """
    if isinstance(groups, keras.Model):
        groups = groups.layer_groups() if hasattr(groups, "layer_groups") else [layer for layer in groups.layers if layer.weights]
    variables = [_trainable_variables(group) for group in groups]
    if not variables:
        raise ValueError("There are no groups of layers: neither the list nor the model has any. Received: groups=[]. Call the model on a batch to build it.")
    seen = {}
    for number, group in enumerate(variables):
        if not group:
            raise ValueError(f"A group has no trainable variable. Received: groups[{number}]={groups[number]!r}. Build its layers, or leave the group out.")
        for variable in group:
            if id(variable) in seen:
                raise ValueError(f"A variable is in two groups. Received: {variable.path!r} in groups[{seen[id(variable)]}] and groups[{number}]")
        seen |= {id(variable): number for variable in group}
    return variables


def _trainable_variables(group):
    """Lists the trainable variables of a layer, a variable, or a list of such, each once."""
    if isinstance(group, list | tuple):
        unique = {id(variable): variable for item in group for variable in _trainable_variables(item)}
        return list(unique.values())
    if isinstance(group, keras.Variable):
        return [group] if group.trainable else []
    return list(group.trainable_variables)
