"""What the functions and classes of `tfx_bsl` make of nothing, and what they refuse: cases that run on tfx-bsl and on ours."""
