"""The admin for organisers: everything can be looked at, and every change goes through a service."""

from tournaments.admin import machines, people, records, shows
from tournaments.admin.base import site

__all__ = ["machines", "people", "records", "shows", "site"]
