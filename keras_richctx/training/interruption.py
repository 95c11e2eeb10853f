"""Ctrl-C and SIGTERM, taken at the end of a step."""

import contextlib
import os
import signal
import threading


class Interruption(contextlib.AbstractContextManager):
    """Notes a Ctrl-C (SIGINT) or a SIGTERM instead of stopping in the middle of a step; a second one stops at once.

    Handlers are in place inside the `with` block, in the main thread only, which is where Python delivers signals. A signal that the process ignores (as under
    `nohup`) stays ignored.

    Attributes:
        signal: the signal that was noted, or `None`.
    """

    _NOTE = (
        b"\nStopping at the end of this step, or of the validation, if that is running. Once more stops at once and loses what the last checkpoint has not.\n"
    )

    def __init__(self):
        self.signal = None
        self._earlier = {}

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._earlier[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception):
        for number, handler in self._earlier.items():
            signal.signal(number, handler)
        self._earlier = {}

    def stop(self, message):
        """Raises what the noted signal means: `KeyboardInterrupt` for SIGINT, `SystemExit` with code 143 for SIGTERM.

        Raises:
            KeyboardInterrupt: for SIGINT, with `message`.
            SystemExit: for SIGTERM.
        """
        number = self.signal or signal.SIGTERM  # of another worker, if none was noted here
        raise KeyboardInterrupt(message) if number == signal.SIGINT else SystemExit(128 + number)

    def _note(self, number, frame):
        if self.signal is not None:
            self.stop("stopped at once")
        self.signal = number
        os.write(2, self._NOTE)  # print may not be entered again from a signal handler
