"""The `richctx` command, over the library `keras_richctx`.

It is a package of its own because `import keras_richctx` brings Keras and its engine, which takes seconds: a command imports the library when it runs, so that
`richctx --help` answers at once.
"""
