"""From the recurrent cell to BERT in Keras 3: layers you can read, models you can load, maps you can look at."""
