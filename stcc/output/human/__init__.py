"""What a person reads of each success: one module per noun, one function `human` in each."""
