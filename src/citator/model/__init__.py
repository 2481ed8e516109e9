"""Values and rules. No input or output, no clock, no environment, no imports of ours."""
