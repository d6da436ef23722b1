"""Headless client SDK for the Agent Client Protocol."""
