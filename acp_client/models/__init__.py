"""Protocol types, generated from the official schema: `v1` and `v2`, each imported on first use."""
