"""Who may answer for what: keys, signatures, pinned roots and the policy that weighs them."""
