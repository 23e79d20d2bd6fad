"""Messages that other packages of TFX import from here."""
