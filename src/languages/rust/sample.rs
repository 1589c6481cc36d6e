//! Tokens and who may carry them.
use std::collections::HashMap;
pub use crate::types::{Role, User};
extern crate alloc;

/// What every header begins with.
pub const TOKEN_PREFIX: &str = "Bearer ";
static mut COUNTER: u64 = 0;

/// Claims of a token.
///
/// Signed by the issuer.
#[derive(Debug, Clone)]
pub struct Claims<'a, T = ()> {
    /// Who it is about.
    pub subject: &'a str,
    pub(crate) roles: Vec<Role>,
    extra: T,
}

struct Meters(f64);
pub struct Unit;

union Bits {
    float: f32,
    word: u32,
}

#[derive(Debug)]
pub enum AuthError {
    Expired,
    /// The signature does not fit.
    Invalid { reason: String },
    Unknown(u32),
}

pub type Result<T> = std::result::Result<T, AuthError>;

pub trait Validate: Send {
    type Output;
    const LIMIT: usize = 3;
    fn validate(&self, token: &str) -> Result<Self::Output>;
    fn is_lenient(&self) -> bool {
        false
    }
}

impl<'a, T> Claims<'a, T> {
    pub const EMPTY: usize = 0;

    /* Makes claims of nobody. */
    pub fn new(subject: &'a str, extra: T) -> Self {
        Self { subject, roles: Vec::new(), extra }
    }

    #[inline]
    fn has_role(&self, role: &Role) -> bool {
        fn same(a: &Role, b: &Role) -> bool {
            a == b
        }
        self.roles.iter().any(|it| same(it, role))
    }
}

impl Validate for Meters {
    type Output = f64;
    fn validate(&self, _token: &str) -> Result<f64> {
        Ok(self.0)
    }
}

impl std::fmt::Display for crate::types::User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

/// Checks a token
/// and gives its claims.
#[must_use]
pub(crate) async fn validate_token<S>(
    token: &str,
    store: &HashMap<String, S>,
) -> Result<Claims<'static>>
where
    S: AsRef<str>,
{
    unimplemented!()
}

macro_rules! deny {
    ($reason:expr) => {
        return Err(AuthError::Invalid { reason: $reason.into() })
    };
}

extern "C" {
    fn strlen(text: *const u8) -> usize;
}

mod keys;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expired_is_refused() {}
}
