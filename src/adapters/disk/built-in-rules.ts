/**
 * What is never source, before any ignore file has spoken. Kept short on purpose: `dist`, `build`, `target` and `vendor`
 * hold source in some repositories, and where they do not, .gitignore names them already.
 *
 * Hidden files are skipped as ripgrep does, but for those that say how a project is built, checked and configured.
 * Names that may hold secrets pass here, so that the classifier can count them as what they are.
 */

/** Repositories' own storage; not even `!` in an ignore file brings it in. */
export const VCS_DIRECTORIES: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".bzr",
  ".jj",
  ".pijul",
  "_darcs",
  "CVS",
]);

/** Installed packages and caches of tools. */
export const NEVER_SOURCE: readonly string[] = [
  "node_modules/",
  "bower_components/",
  "__pycache__/",
  "*.egg-info/",
  "*.dist-info/",
  "venv/",
  "site-packages/",
  "htmlcov/",
  "elm-stuff/",
  "DerivedData/",
  "dist-newstyle/",
  "zig-cache/",
  "zig-out/",
];

export const HIDDEN: readonly string[] = [
  ".*",
  "!.github/",
  "!.gitlab/",
  "!.gitlab-ci.yml",
  "!.circleci/",
  "!.travis.yml",
  "!.azure-pipelines*",
  "!.ci/",
  "!.cargo/",
  "!.config/",
  "!.husky/",
  "!.storybook/",
  "!.vitepress/",
  "!.devcontainer/",
  "!.codecompass/",
  "!.eslintrc*",
  "!.prettierrc*",
  "!.babelrc*",
  "!.rubocop.yml",
  "!.golangci.y*ml",
  "!.goreleaser.y*ml",
  "!.pre-commit-config.yaml",
  "!.editorconfig",
  "!.clang-format",
  "!.clang-tidy",
  "!.bazelrc",
  "!.dockerignore",
  "!.bashrc",
  "!.bash_profile",
  "!.profile",
  "!.zshrc",
  "!.vimrc",
  "!.env",
  "!.env.*",
  "!.envrc",
  "!.npmrc",
  "!.pypirc",
  "!.netrc",
  "!.pgpass",
  "!.git-credentials",
  "!.htpasswd",
];
