"""One side of a benchmark as a process of its own, so that no library's threads stand in another's way."""

import contextlib
import os
import subprocess
import sys


class Worker(contextlib.AbstractContextManager):
    """A process that is asked by lines on its input, and waits in between.

    Args:
        name: string, for errors.
        command: list of strings; the process calls `serve`.
        backend: string, the Keras backend it is to have.
    """

    def __init__(self, name, command, backend):
        self.name = name
        several_on_a_gpu = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}
        environment = {**os.environ, **several_on_a_gpu, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, what):
        """Sends a line, and waits for the answer, a line."""
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} ended at {what!r}, with code {self.process.wait()}")
        return answer.strip()

    def __exit__(self, *exception):
        self.process.stdin.close()
        self.process.wait()


def serve(answer):
    """Answers lines until the input ends: `answer(first word, *others)` of each. What else is printed goes to the standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            result = answer(*line.split())
            print(result, file=sys.__stdout__, flush=True)
