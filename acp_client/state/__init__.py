"""What an agent has reported: events, snapshots, and the reducers that make them, alike for both protocol versions."""
