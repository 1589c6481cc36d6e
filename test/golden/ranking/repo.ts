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

/** Files of several chunks, in which other chunks than the answer repeat the words of a question. */
export const LONG_FILES = {
  "app/blueprints.py": `class SetupState:
    """Temporary holder of the state of a blueprint while it is registered with an application.
    Deferred functions of blueprints receive it: registered blueprints record what they want to do,
    and it happens once the blueprint is registered.
    """

    def __init__(self, blueprint, app, options, first_registration):
        #: the application that the blueprint is registered with
        self.app = app
        #: the blueprint that is being registered
        self.blueprint = blueprint
        #: the options that the blueprint was registered with
        self.options = options
        #: blueprints can be registered several times: whether this is the first registration
        self.first_registration = first_registration
        #: where the blueprint is registered below
        self.url_prefix = options.get("url_prefix") or blueprint.url_prefix


class Blueprint:
    """A collection of routes and templates that can be registered on an application later."""

    def __init__(self, name, url_prefix=None):
        self.name = name
        self.url_prefix = url_prefix
        self.deferred = []
        self.children = []

    def record(self, func):
        """Keeps a function that is called when the blueprint is registered on the application,
        with the state of the registered blueprint as its argument."""
        self.deferred.append(func)

    def register_blueprint(self, blueprint, **options):
        """Registers a blueprint on this blueprint. Options that are passed here override
        the defaults of the registered blueprint."""
        if blueprint is self:
            raise ValueError("Cannot register a blueprint on itself")
        self.children.append((blueprint, options))

    def register(self, app, options):
        """Called by the application; registers all views and callbacks with it."""
        name = options.get("name", self.name)
        if name in app.blueprints:
            raise ValueError(f"The name {name} is already taken by another one")
        first = not any(bp is self for bp in app.blueprints.values())
        app.blueprints[name] = self
        state = SetupState(self, app, options, first)
        for deferred in self.deferred:
            deferred(state)
        for child, child_options in self.children:
            child.register(app, {**options, **child_options})

    def template_filter(self, name=None):
        """A decorator for filters of templates."""

        def decorator(func):
            self.add_template_filter(func, name=name)
            return func

        return decorator

    def add_template_filter(self, func, name=None):
        """Adds one filter."""

        def setup(state):
            state.app.jinja_env.filters[name or func.__name__] = func

        self.record(setup)
`,
  "app/loader.py": `def load(app):
    """Finds the template of each registered blueprint."""
    for blueprint in app.blueprints.values():
        yield blueprint
`,
};
