"""The dashboard: a local page that follows a campaign while it writes its store."""
