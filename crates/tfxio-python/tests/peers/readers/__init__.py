"""Other systems read what tfxio writes: which columns of which types they give back, and as what."""
