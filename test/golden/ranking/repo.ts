/** The small service of the acceptance cases, plus what makes ranking hard: tests, an example, a copy, prose, a namesake. */
import { F_RUST } from "../../kit/repos/f-rust.ts";

export const RANKING_REPO: Readonly<Record<string, string>> = {
  ...F_RUST,
  "tests/auth_test.rs": `use service::auth::{require_role, validate_token};

#[test]
fn validate_token_rejects_an_expired_token() {
    let token = validate_token("tok_expired");
    assert!(token.is_err());
}

#[test]
fn validate_token_accepts_a_fresh_token() {
    assert!(validate_token("tok_fresh").is_ok());
    assert!(require_role("tok_fresh").is_ok());
}
`,
  "examples/login.rs": `use service::auth::validate_token;

/// Logs somebody in: validate the token, then ask for the role.
fn main() {
    let claims = validate_token("tok_example").expect("a valid token");
    println!("{claims:?}");
}
`,
  "vendor/jwt/src/lib.rs": `/// Checks a token's signature and its expiry.
pub fn validate_token(raw: &str) -> bool {
    raw.starts_with("tok_")
}
`,
  "src/pool.rs": `use crate::db::Connection;

/// Hands out database connections and takes them back.
pub struct ConnectionPool {
    idle: Vec<Connection>,
    limit: usize,
}

impl ConnectionPool {
    pub fn new(limit: usize) -> Self {
        Self { idle: Vec::new(), limit }
    }

    /// Waits for an idle connection, or opens one below the limit.
    pub fn acquire(&mut self) -> Option<Connection> {
        self.idle.pop()
    }

    pub fn release(&mut self, connection: Connection) {
        if self.idle.len() < self.limit {
            self.idle.push(connection);
        }
    }
}
`,
  "docs/guide.md": `# Guide

## Tokens

To validate a token, call validate_token. Tokens expire; an expired token is refused.

## Connections

The connection pool hands out database connections.
`,
};
