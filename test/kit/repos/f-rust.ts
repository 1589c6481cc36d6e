/** A small service in Rust: authentication, a handler, configuration, types and a database. */
export const F_RUST: Readonly<Record<string, string>> = {
  "Cargo.toml": `[package]\nname = "service"\nversion = "0.1.0"\n`,
  "src/lib.rs": `//! The service: shared state and a liveness probe.
pub mod auth;
pub mod config;
pub mod db;
pub mod handler;
pub mod types;

use crate::config::Config;
use crate::db::Connection;

/// Everything a request needs.
pub struct AppState {
    pub config: Config,
    pub connection: Connection,
}

/// Answers whether the process is alive.
pub fn health_check(state: &AppState) -> bool {
    state.connection.is_open()
}
`,
  "src/auth.rs": `use crate::types::Role;
use std::fmt;

/// Every bearer token starts with this.
pub const TOKEN_PREFIX: &str = "Bearer ";

/// What a token says about its owner.
#[derive(Debug, Clone)]
pub struct Claims {
    pub subject: String,
    pub role: Role,
    pub expires_at: u64,
}

/// Why a token was refused.
#[derive(Debug)]
pub enum AuthError {
    InvalidToken,
    Expired,
    Forbidden,
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuthError::InvalidToken => write!(f, "error: invalid token"),
            AuthError::Expired => write!(f, "error: token expired"),
            AuthError::Forbidden => write!(f, "error: role not allowed"),
        }
    }
}

impl Claims {
    /// Whether the claims are past their time.
    pub fn is_expired(&self, now: u64) -> bool {
        self.expires_at <= now
    }
}

/// Checks a bearer token and returns what it claims.
pub fn validate_token(token: &str, key: &[u8]) -> Result<Claims, AuthError> {
    let body = token.strip_prefix(TOKEN_PREFIX).ok_or(AuthError::InvalidToken)?;
    let claims = decode(body, key)?;
    if claims.is_expired(0) {
        return Err(AuthError::Expired);
    }
    Ok(claims)
}

/// Refuses callers whose role is too low.
pub fn require_role(claims: &Claims, role: Role) -> Result<(), AuthError> {
    if claims.role == role {
        Ok(())
    } else {
        Err(AuthError::Forbidden)
    }
}

fn decode(body: &str, key: &[u8]) -> Result<Claims, AuthError> {
    if body.len() < key.len() {
        return Err(AuthError::InvalidToken);
    }
    Ok(Claims { subject: body.to_string(), role: Role::Viewer, expires_at: u64::MAX })
}
`,
  "src/handler.rs": `use crate::auth::{require_role, validate_token};
use crate::types::Role;
use crate::AppState;

/// Verbs the service understands.
#[derive(Debug, PartialEq)]
pub enum Method {
    Get,
    Post,
    Delete,
}

pub struct Request {
    pub method: Method,
    pub path: String,
    pub token: String,
}

pub struct Response {
    pub status: u16,
    pub body: String,
}

/// Routes requests after checking who sent them.
pub struct AuthHandler<'a> {
    state: &'a AppState,
}

impl<'a> AuthHandler<'a> {
    pub fn new(state: &'a AppState) -> Self {
        AuthHandler { state }
    }

    /// Authenticates, authorises, then answers.
    pub fn handle_request(&self, request: &Request) -> Response {
        let claims = match validate_token(&request.token, self.state.config.secret()) {
            Ok(claims) => claims,
            Err(error) => return Response { status: 401, body: error.to_string() },
        };
        if request.method == Method::Delete && require_role(&claims, Role::Admin).is_err() {
            return Response { status: 403, body: "forbidden".into() };
        }
        Response { status: 200, body: format!("hello {}", claims.subject) }
    }
}
`,
  "src/config.rs": `use std::collections::HashMap;

/// Settings of the service.
pub struct Config {
    values: HashMap<String, String>,
}

#[derive(Debug)]
pub enum ConfigError {
    Missing(String),
    Malformed(usize),
}

impl Config {
    pub fn secret(&self) -> &[u8] {
        self.values.get("secret").map(|s| s.as_bytes()).unwrap_or(b"")
    }
}

/// Reads \`key = value\` lines.
pub fn load(text: &str) -> Result<Config, ConfigError> {
    let mut values = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let (key, value) = line.split_once('=').ok_or(ConfigError::Malformed(number))?;
        values.insert(key.trim().to_string(), value.trim().to_string());
    }
    if values.is_empty() {
        return Err(ConfigError::Missing("secret".into()));
    }
    Ok(Config { values })
}
`,
  "src/types.rs": `/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    Admin,
    Editor,
    Viewer,
}

pub struct User {
    pub name: String,
    pub roles: Vec<Role>,
    pub active: bool,
}

impl User {
    pub fn has_role(&self, role: Role) -> bool {
        self.active && self.roles.contains(&role)
    }

    pub fn deactivate(&mut self) {
        self.active = false;
    }
}
`,
  "src/db.rs": `use std::fmt;

#[derive(Debug)]
pub enum DatabaseError {
    ConnectionRefused,
    RolledBack(String),
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connection refused")
    }
}

pub struct Connection {
    open: bool,
}

impl Connection {
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Runs the work and rolls back when it fails.
    pub fn execute_in_transaction<T, F>(&mut self, work: F) -> Result<T, DatabaseError>
    where
        F: FnOnce(&mut Connection) -> Result<T, DatabaseError>,
    {
        if !self.open {
            return Err(DatabaseError::ConnectionRefused);
        }
        work(self)
    }
}
`,
  "docs/README.md": "A service that checks tokens.\n\nIt has no headings and no symbols.\n",
};

/** Where each name of the fixture is defined. */
export const F_RUST_HOMES: readonly (readonly [name: string, path: string])[] = [
  ...["validate_token", "require_role", "Claims", "AuthError", "is_expired"].map((n) => [n, "src/auth.rs"] as const),
  ...["AuthHandler", "handle_request", "Request", "Response", "Method"].map((n) => [n, "src/handler.rs"] as const),
  ...["Config", "ConfigError", "load"].map((n) => [n, "src/config.rs"] as const),
  ...["Role", "User", "has_role", "deactivate"].map((n) => [n, "src/types.rs"] as const),
  ...["DatabaseError", "Connection", "execute_in_transaction"].map((n) => [n, "src/db.rs"] as const),
  ...["AppState", "health_check"].map((n) => [n, "src/lib.rs"] as const),
];
