"""Messages through the logger "goruntime"."""

from __future__ import annotations

import logging

_LOGGER = logging.getLogger("goruntime")

debug = _LOGGER.debug
warning = _LOGGER.warning  # which Python shows unless told otherwise
