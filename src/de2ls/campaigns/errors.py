"""What can go wrong with a store or a plan; every message says what to do next."""


class StoreError(RuntimeError):
    """A store cannot be opened, read or written."""


class StoreBusyError(StoreError):
    """Another process writes to the store."""


class ConflictError(StoreError):
    """What is planned or merged contradicts what the store holds under the same name."""


class CampaignError(RuntimeError):
    """A campaign cannot start or continue."""
