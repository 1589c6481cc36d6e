/** The service of `f-rust.ts` in TypeScript, Python and Go: the same structure, idiomatic in each language. */

export interface Mirror {
  readonly files: Readonly<Record<string, string>>;
  /** Where each name is defined. */
  readonly homes: readonly (readonly [name: string, path: string])[];
}

export const F_TS: Mirror = {
  files: {
    "package.json": `{"name":"service"}\n`,
    "src/auth.ts": `import type { UserRole } from "./types";

export const TOKEN_PREFIX = "Bearer ";

/** What a token says about its owner. */
export interface TokenClaims {
  subject: string;
  role: UserRole;
  expiresAt: number;
}

export class AuthError extends Error {}

/** Checks a bearer token and returns what it claims. */
export function validateToken(token: string, key: string): TokenClaims {
  if (!token.startsWith(TOKEN_PREFIX)) throw new AuthError("error: invalid token");
  return decode(token.slice(TOKEN_PREFIX.length), key);
}

export const isExpired = (claims: TokenClaims, now: number): boolean => claims.expiresAt <= now;

function decode(body: string, key: string): TokenClaims {
  if (body.length < key.length) throw new AuthError("error: invalid token");
  return { subject: body, role: "viewer" as UserRole, expiresAt: Number.MAX_SAFE_INTEGER };
}
`,
    "src/handler.ts": `import { validateToken } from "./auth";

export interface AppRequest {
  path: string;
  token: string;
}

/** Routes requests after checking who sent them. */
export class AuthHandler {
  constructor(private readonly key: string) {}

  handleRequest(request: AppRequest): string {
    const claims = validateToken(request.token, this.key);
    return \`hello \${claims.subject}\`;
  }
}
`,
    "src/config.ts": `export interface AppConfig {
  secret: string;
}

/** Reads key = value lines. */
export function loadConfig(text: string): AppConfig {
  const [, secret = ""] = text.split("=");
  return { secret: secret.trim() };
}
`,
    "src/types.ts": `export enum UserRole {
  Admin = "admin",
  Viewer = "viewer",
}

export type UserId = string;
`,
    "src/db.ts": `export class DatabaseService {
  private open = false;

  async runInTransaction<T>(work: () => Promise<T>): Promise<T> {
    if (!this.open) throw new Error("connection refused");
    return work();
  }
}
`,
  },
  homes: [
    ["validateToken", "src/auth.ts"],
    ["TokenClaims", "src/auth.ts"],
    ["isExpired", "src/auth.ts"],
    ["AuthHandler", "src/handler.ts"],
    ["handleRequest", "src/handler.ts"],
    ["loadConfig", "src/config.ts"],
    ["UserRole", "src/types.ts"],
    ["DatabaseService", "src/db.ts"],
    ["runInTransaction", "src/db.ts"],
  ],
};

export const F_PY: Mirror = {
  files: {
    "service/__init__.py": "",
    "service/auth.py": `"""Tokens: what they claim and whether to believe them."""
from dataclasses import dataclass

from .types import Role

TOKEN_PREFIX = "Bearer "


class AuthError(Exception):
    """Why a token was refused."""


@dataclass
class TokenClaims:
    subject: str
    role: Role
    expires_at: int

    def is_expired(self, now: int) -> bool:
        return self.expires_at <= now


def validate_token(token: str, key: bytes) -> TokenClaims:
    """Checks a bearer token and returns what it claims."""
    if not token.startswith(TOKEN_PREFIX):
        raise AuthError("error: invalid token")
    return _decode(token[len(TOKEN_PREFIX):], key)


def _decode(body: str, key: bytes) -> TokenClaims:
    if len(body) < len(key):
        raise AuthError("error: invalid token")
    return TokenClaims(subject=body, role=Role.VIEWER, expires_at=2**63)
`,
    "service/handler.py": `from .auth import validate_token


class RequestHandler:
    """Routes requests after checking who sent them."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def handle_request(self, token: str) -> str:
        claims = validate_token(token, self.key)
        return f"hello {claims.subject}"
`,
    "service/config.py": `def load_config(text: str) -> dict[str, str]:
    """Reads key = value lines."""
    return dict(line.split("=", 1) for line in text.splitlines())
`,
    "service/types.py": `from enum import Enum


class Role(Enum):
    ADMIN = "admin"
    VIEWER = "viewer"
`,
    "service/db.py": `class ConnectionPool:
    def __init__(self, size: int) -> None:
        self.size = size

    def run_in_transaction(self, work):
        """Rolls back when the work fails."""
        return work()
`,
  },
  homes: [
    ["validate_token", "service/auth.py"],
    ["TokenClaims", "service/auth.py"],
    ["is_expired", "service/auth.py"],
    ["RequestHandler", "service/handler.py"],
    ["handle_request", "service/handler.py"],
    ["load_config", "service/config.py"],
    ["Role", "service/types.py"],
    ["ConnectionPool", "service/db.py"],
    ["run_in_transaction", "service/db.py"],
  ],
};

export const F_GO: Mirror = {
  files: {
    "go.mod": "module example.invalid/service\n",
    "auth/auth.go": `package auth

import "errors"

// TokenPrefix starts every bearer token.
const TokenPrefix = "Bearer "

// Claims is what a token says about its owner.
type Claims struct {
	Subject   string
	ExpiresAt int64
}

// IsExpired tells whether the claims are past their time.
func (c *Claims) IsExpired(now int64) bool {
	return c.ExpiresAt <= now
}

// ValidateToken checks a bearer token and returns what it claims.
func ValidateToken(token string, key []byte) (*Claims, error) {
	if len(token) < len(TokenPrefix)+len(key) {
		return nil, errors.New("error: invalid token")
	}
	return &Claims{Subject: token[len(TokenPrefix):]}, nil
}
`,
    "handler/handler.go": `package handler

// Handler answers requests.
type Handler interface {
	HandleRequest(token string) string
}

// AuthHandler routes requests after checking who sent them.
type AuthHandler struct {
	key []byte
}

// NewAuthHandler makes a handler.
func NewAuthHandler(key []byte) *AuthHandler {
	return &AuthHandler{key: key}
}

func (h *AuthHandler) HandleRequest(token string) string {
	return "hello"
}
`,
    "roles/roles.go": `package roles

// Role is what a user may do.
type Role int

// ParseRole reads a role's name.
func ParseRole(name string) (Role, error) {
	return Role(len(name)), nil
}
`,
  },
  homes: [
    ["ValidateToken", "auth/auth.go"],
    ["Claims", "auth/auth.go"],
    ["IsExpired", "auth/auth.go"],
    ["Handler", "handler/handler.go"],
    ["NewAuthHandler", "handler/handler.go"],
    ["Role", "roles/roles.go"],
    ["ParseRole", "roles/roles.go"],
  ],
};
