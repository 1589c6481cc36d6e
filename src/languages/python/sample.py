"""Who may come in."""
from __future__ import annotations

import os.path
import json as js
from ..types import Role, User
from typing import Protocol

TOKEN_PREFIX = "Bearer "
_registry: dict[str, "Handler"] = {}
default_timeout = 30
type Pair[T] = tuple[T, T]


# Raised when a token is past its time.
class AuthError(Exception):
    code = 401
    detail: str


class Validator(Protocol):
    """Checks tokens.

    One per issuer.
    """

    ISSUER = "local"
    retries: int = 3

    def __init__(self, key: str) -> None:
        self.key = key

    @property
    def name(self) -> str:  # short
        return self.key

    @staticmethod
    def of(*keys: str) -> "Validator":
        '''Makes one of keys.'''
        return Validator(keys[0])

    async def validate(
        self,
        token: str,
        *,
        role: Role | None = None,
    ) -> dict[str, int]:
        def fail(reason):
            raise AuthError(reason)

        return fail(token)

    def _trim(self): ...

    class Options:
        strict = True


@app.route("/token", methods=["POST"])
@cached(ttl=(1, 2))
def validate_token(token: str, roles: list[str] = []) -> bool:
    r"""Checks a token \ and its roles."""
    local = 1
    return bool(local)


@dataclass(frozen=True)
class Claims:
    subject: str
    roles: tuple[str, ...] = ()


if True:
    def late():
        pass
