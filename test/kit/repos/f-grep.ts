/** F-grep: small files of several kinds, for semantic search and grep. */
export const F_GREP: Readonly<Record<string, string>> = {
  "src/auth.py": `"""Who may come in."""


def check_password(user, secret):
    """Compare the hash of a secret with the one that is stored."""
    return hash_of(secret) == user.password_hash


def issue_token(user, lifetime_seconds):
    """Make a signed session token that expires."""
    return sign({"user": user.id, "until": now() + lifetime_seconds})
`,
  "src/retry.js": `// Calls a function again when it fails, waiting longer each time.
export async function withBackoff(call, attempts = 5) {
  let delay = 100;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(delay);
      delay *= 2;
    }
  }
}
`,
  "src/store.rs": `/// Rows of a table, kept on disk.
pub struct Table { path: PathBuf }

impl Table {
    /// Writes a row and flushes it to the disk.
    pub fn insert(&mut self, row: Row) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(&row.encode())?;
        file.sync_all()
    }
}
`,
  "src/draw.ts": `export function drawCircle(canvas: Canvas, x: number, y: number, radius: number): void {
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, 2 * Math.PI);
  canvas.stroke();
}
`,
  "docs/notes.md": "# Notes\n\nThe weather was fine, and the garden grew.\n",
  "docs/emoji.txt": "grüße 👩‍👩‍👧‍👦 naïve 日本語 text 🎉\n",
  "crlf.txt": "first line\r\nsecond line\r\nthird line\n",
};
