"""ELMo of the original size, random weights, over 64 sentences: this library, and the same design of PyTorch's own layers.

Usage: bench_elmo.py [BACKEND ...]     (tensorflow and jax unless told; those whose package is missing are left out, and named)

Each side is a process of its own; they take turns, each waiting until it is asked. All have the same weights, read the same rows of characters, and are
checked against one another first. PyTorch's side is the published design in its terms: `torch.nn.LSTM(proj_size=512)` for each layer and direction, the sum of
the second layer with its input, and the same convolutions, highways and projection; it has no clips, so the weights are small enough never to reach them.
"""

import contextlib
import importlib.util
import sys

import keras
import numpy as np
from harness import measure, report, timing_rows
from worker import Worker, serve

SENTENCES, SEED = 64, 0


def main(*backends):
    sides = [("keras_richctx", backend) for backend in backends or ("tensorflow", "jax")] + [("torch.nn", "torch")]
    missing = [side for side in sides if importlib.util.find_spec(side[1]) is None]
    if missing:
        print(f"Left out, since not installed: {', '.join(backend for _, backend in missing)}.")
    with contextlib.ExitStack() as stack:
        workers = {}
        for name, backend in [side for side in sides if side not in missing]:
            side = f"{name} on {backend}" if name != "torch.nn" else name
            workers[side] = stack.enter_context(Worker(side, [sys.executable, __file__, "--work", name], backend))
        sums = {side: float(worker.ask("check")) for side, worker in workers.items()}
        reference = sums["torch.nn"]
        assert all(abs(value - reference) < 1e-4 * reference for value in sums.values()), sums
        rounds = measure({side: lambda worker=worker: worker.ask("run") for side, worker in workers.items()}, repeats=3, warmup=1)
    lengths = [len(sentence) for sentence in sentences()]
    note = (
        f"93.6 million weights, float32; {SENTENCES} sentences of {min(lengths)} to {max(lengths)} words, {sum(lengths)} in all, padded to one batch; the "
        "beginning and the end of each sentence are read too. Forward, all three layers. The sides agree on the sum of the outputs to 1e-4."
    )
    report("elmo", "ELMo of the original size", timing_rows(rounds, "torch.nn"), note)


def sentences():
    """Makes sentences of words as long as those of English, most of them new."""
    rng = np.random.default_rng(SEED)
    words = ["".join(rng.choice(list("etaoinshrdlu"), size=rng.integers(1, 12))) for _ in range(2000)]
    return [[str(word) for word in rng.choice(words, size=length)] for length in rng.integers(8, 29, size=SENTENCES)]


def made():
    """Makes the model with its weights, and the rows of characters with their boundaries, `(B, T, C)`."""
    import keras_richctx as krc

    keras.utils.set_random_seed(SEED)
    model = krc.models.ELMo.from_preset("original")
    for i, weight in enumerate(model.weights):
        weight.assign(np.random.default_rng(i).normal(scale=0.02, size=weight.shape).astype("float32"))
    return model, krc.text.CharacterTokenizer()(sentences())


def work(name):
    """Runs in the process of a side: answers lines until its input ends."""
    run = {"keras_richctx": richctx_side, "torch.nn": torch_side}[name]()
    serve(lambda task: answer(task, run))


def answer(task, run):
    """Gives the sum of the outputs for `check`, and their first axis for `run`."""
    layers = run()  # (B, L + 1, T, 2 D)
    return np.abs(layers).sum(dtype="float64") if task == "check" else len(layers)


def richctx_side():
    model, ids = made()
    given = {"character_ids": keras.ops.convert_to_tensor(ids)}
    return lambda: np.asarray(model.predict_on_batch(given)["layers"])


def torch_side():
    """The same in PyTorch, with the weights of a model of this library on PyTorch."""
    import torch

    model, ids = made()
    cnn, bilm = model.character_cnn, model.bilm

    def tensor(variable):
        return variable.value.detach()

    lstms = []
    for stack in (bilm.forward_stack, bilm.backward_stack):
        for cell in stack.cells:
            lstm = torch.nn.LSTM(512, cell.units, proj_size=cell.projection_units, batch_first=True)
            bias = tensor(cell.bias) + torch.repeat_interleave(torch.tensor([0.0, cell.forget_bias, 0.0, 0.0]), cell.units)
            values = (tensor(cell.kernel).T, tensor(cell.recurrent_kernel).T, bias, torch.zeros_like(bias), tensor(cell.projection_kernel).T)
            with torch.no_grad():
                for parameter, value in zip(lstm.parameters(), values):
                    parameter.copy_(value)
            lstms.append(lstm)
    table = torch.cat([torch.zeros(1, cnn.embedding_dim), tensor(cnn.embeddings)])
    kernels = [tensor(kernel).permute(2, 1, 0).contiguous() for kernel in cnn.kernels]  # (filters, E, width)
    with torch.no_grad():
        wide, mask = (torch.as_tensor(np.asarray(x)) for x in with_boundaries(model, ids))
    lengths = mask.sum(1)
    turned = (lengths[:, None] - 1 - torch.arange(mask.shape[1])) % mask.shape[1]  # (B, T): each row from its end, then its pads

    def read(rows):
        x = torch.nn.functional.embedding(rows.reshape(-1, rows.shape[-1]), table).transpose(1, 2)  # (N, E, C)
        pooled = [torch.nn.functional.conv1d(x, kernel, tensor(bias)).amax(-1) for kernel, bias in zip(kernels, cnn.biases)]
        x = torch.relu(torch.cat(pooled, dim=-1))  # (N, F)
        for highway in cnn.highways:
            gate = torch.sigmoid(x @ tensor(highway.gate_kernel) + tensor(highway.gate_bias_vector))
            x = gate * torch.relu(x @ tensor(highway.transform_kernel) + tensor(highway.transform_bias)) + (1 - gate) * x
        return (x @ tensor(cnn.projection.kernel) + tensor(cnn.projection.bias)).reshape(*rows.shape[:2], -1)

    def run():
        with torch.no_grad():
            x = read(wide)  # (B, T, D)
            way_back = turned[..., None].expand(-1, -1, x.shape[-1])
            low_f, low_b = lstms[0](x)[0], lstms[2](x.gather(1, way_back))[0]
            high_f, high_b = lstms[1](low_f)[0] + low_f, lstms[3](low_b)[0] + low_b
            layers = [torch.cat([x, x], -1)] + [torch.cat([f, b.gather(1, way_back)], -1) for f, b in ((low_f, low_b), (high_f, high_b))]
            layers = torch.stack(layers, dim=1)[:, :, 1:-1]  # (B, L + 1, T, 2 D)
            return (layers * words).numpy()

    words = torch.as_tensor(ids != 0).any(-1)[:, None, :, None]
    return run


def with_boundaries(model, ids):
    """The rows of characters with those of the boundaries around each sentence, and their mask."""
    from keras_richctx.elmo.boundaries import add_boundaries
    from keras_richctx.elmo.character_cnn import word_mask
    from keras_richctx.text.character_tokenizer import boundary_characters

    begin, end = (keras.ops.convert_to_tensor(row, dtype="int32") for row in boundary_characters())
    ids = keras.ops.convert_to_tensor(ids)
    return add_boundaries(ids, word_mask(ids), begin, end)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
    else:
        main(*sys.argv[1:])
