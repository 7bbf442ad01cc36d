"""Other engines, each behind the signature of `driver.c`, and what compiles them."""
