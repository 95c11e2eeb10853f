"""One side of a benchmark as a process of its own, so that no library's threads stand in another's way."""

import contextlib
import os
import subprocess
import sys
import tempfile


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
        self.said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed at the exit
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)

    def ask(self, what):
        """Sends a line, and waits for the answer, a line."""
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self.said.seek(0)
            raise RuntimeError(f"{self.name} ended at {what!r}, with code {code}, and said last:\n{self.said.read()[-2000:]}")
        return answer.strip()

    def __exit__(self, *exception):
        self.process.stdin.close()
        self.process.wait()
        self.said.close()


def serve(answer):
    """Answers lines until the input ends: `answer(first word, *others)` of each. What else is printed goes to the standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            result = answer(*line.split())
            print(result, file=sys.__stdout__, flush=True)
