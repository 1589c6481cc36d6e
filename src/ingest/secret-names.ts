/**
 * Paths of files that hold credentials by convention. Data files only: `secrets.py` or `credentials.md` is code or prose
 * about secrets and stays searchable (its text is still masked, see mask-secrets.ts).
 */

/** Whole file names, in lower case. */
const NAMES: ReadonlySet<string> = new Set(
  [
    // Machine, mail and database logins
    ".netrc _netrc .authinfo .pgpass pgpass.conf .my.cnf .mylogin.cnf .psql_pass .msmtprc .fetchmailrc .esmtprc",
    "sasl_passwd .htpasswd .htdigest htpasswd proftpdpasswd .passwd .passwd-s3fs .smbcredentials .credentials",
    ".pine-passfile tomcat-users.xml mgmt-users.properties application-users.properties wpa_supplicant.conf",
    "chap-secrets pap-secrets ipsec.secrets",
    // Package registries and code hosts
    ".pypirc .git-credentials .gitcredentials .dockercfg .dockerconfigjson .sentryclirc galaxy_token",
    "credentials.tfrc.json .clasprc.json .terraformrc terraform.rc settings-security.xml .netlify-token .gitrobrc",
    // Cloud providers and their tools
    ".s3cfg .boto .s3curl .tugboat rclone.conf accesstokens.json azureprofile.json rootkey.csv accesskeys.csv",
    ".databrickscfg kaggle.json clouds.yaml .dev.vars .civo.json doctl.yaml local.settings.json",
    "msal_token_cache.json msal_token_cache.bin ngrok.yml .modal.toml adc.json gcp-key.json gcloud-key.json",
    "gcp-keyfile.json google-key.json keyfile.json",
    // Secret stores and their passwords
    ".vault-token .vault_token .vault_pass .vault-pass .vaultpass .vault_password .vault-password vault_pass",
    "vault-pass vault_password vault-password vault_pass.txt vault-pass.txt",
    // Remote clients
    "sftp-config.json .ftpconfig .ftppass .remote-sync.json filezilla.xml sitemanager.xml recentservers.xml",
    "winscp.ini robomongo.json .dbeaver-data-sources.xml dbeaver-data-sources.xml credentials-config.json",
    "ventrilo_srv.ini cccam.cfg connections.xml logins.json",
    "hudson.util.secret jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml",
    // Keys and their passwords
    "otr.private_key keystore.properties key.properties signing.properties .mnemonic mnemonic.txt .env .envrc",
    "kubeconfig .kubeconfig .secret .secrets .token token credential credentials secret secrets keystore .httr-oauth",
    "http-client.private.env.json github.sublime-settings",
    // Code files that frameworks tell their users to keep out of version control
    "secret_token.rb wp-config.php localsettings.php prod.secret.exs dev.secret.exs",
    // The same names without the dot, as in a repository of dot files
    "netrc pgpass git-credentials dockercfg s3cfg tugboat env muttrc .muttrc .trc trc .exports .extra sftp-config",
    "heroku.json deployment-config.json configuration.user.xpl kwallet gnucash",
    // What was typed into a shell or a client
    ".history .zhistory zhistory .histfile .histdb",
  ].flatMap((names) => names.split(" ")),
);

/** Data formats; a file of another format with a suspicious name is code or prose. */
const DATA =
  "(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|props|xml|plist|csv|tsv|txt|text|env|enc|pickle|dat|bak|old|orig|backup|save)";
const STAGE =
  "(?:prod|production|prd|dev|devel|development|stage|staging|stg|test|testing|qa|uat|local|live|ci|private|enc)";
const OWNER =
  "(?:my|our|app|application|db|database|admin|root|user|aws|gcp|google|azure|github|gitlab|slack|openai|stripe|docker|k8s|ssh)";
const KEY_WORD =
  "(?:passwords?|passwd|passphrase|(?:api|private|secret|access)[._-]?keys?|(?:access|auth|api|refresh|bot|bearer|oauth|github|gitlab|slack|aws)[._-]?tokens?)";

/** File names, in lower case, that follow a rule. */
const NAME_RULE = joinPatterns([
  // .env.production, .env-local, prod.env
  "^\\.env(?:rc)?[._-]",
  ".\\.env$",
  // terraform.tfvars, prod.auto.tfvars.json, terraform.tfstate.backup
  "\\.tfvars(?:\\.json)?$",
  "\\.tfstate(?:\\.|$)",
  "\\.pubxml\\.user$",
  // secrets.yml, db-credentials.prod.json
  `(?:^|[._-])(?:secrets?|credentials?|creds)(?:[._-]${STAGE})*(?:\\.${DATA})+$`,
  // passwords.csv, db_api_key.yml, build-password.txt; of other formats, a long name is rather a test or a task
  `^(?:(?:${OWNER}|${STAGE})[._-])*${KEY_WORD}(?:[._-]${STAGE})*(?:\\.${DATA})+$`,
  `[._-](?:${KEY_WORD}|token)\\.(?:txt|csv|dat)$`,
  `^(?:(?:${OWNER}|${STAGE})[._-])*token(?:[._-]${STAGE})*\\.(?:json|txt|ya?ml|toml|pickle|dat)$`,
  // Keys of Google's services
  "^client_secrets?.*\\.json$",
  "^(?:.*[._-])?service[._-]?accounts?(?:[._-]?(?:key|keys|credentials|creds))?(?:[._-](?:\\d+|" +
    STAGE +
    "))*\\.json$",
  "firebase-adminsdk.*\\.json$",
  "^gha-creds-.*\\.json$",
  // Keys of SSH, Amazon's downloads, Kubernetes, Ethereum and WireGuard
  "(?:^|[._-])id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\\.(?:bak|old|orig|backup|save|txt|key))?$",
  "_(?:rsa|dsa|ecdsa|ed25519)$",
  "^ssh_host_\\w+_key$",
  "_accesskeys\\.csv$",
  "^kubeconfig[._-]",
  "[._-]kubeconfig(?:\\.ya?ml|\\.json)?$",
  "^utc--\\d{4}-",
  "^wg\\d+\\.conf$",
  "^\\.dev\\.vars\\.",
  // .bash_history, psql_history
  "^\\.\\w+_history$",
  "^\\.?(?:bash|zsh|sh|fish|ksh|mysql|psql|sqlite|rediscli|irb|pry|python|node_repl|mongo|php)_history$",
]);

/** Extensions, in lower case. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "pem key keypair p12 pfx pkcs12 p8 pk8 pvk jks jceks keystore keytab bks kdb kdbx ppk ovpn gpg pgp keychain keyring " +
    "kwallet agilekeychain opvault psafe3 tblk bek fve tpm rdp cscfg publishsettings azurepubxml pubxml mobileprovision sqldump netrc " +
    "secret secrets token credentials htpasswd passwd gnucash kubeconfig avastlic private_key"
  ).split(" "),
);

/** Paths where tools store logins, after a slash or at the start. */
const LOGIN_PATH = new RegExp(
  `(?:^|/)(?:${[
    "ssh/config$",
    "\\.openshift/express\\.conf$",
    "\\.ssh/(?!(?:.*/)?(?:known_hosts|authorized_keys|[^/]*\\.pub|readme[^/]*)$)",
    "\\.(?:gnupg|password-store|secrets)/",
    "\\.config/(?:gcloud|gh|hub|glab-cli|doctl|rclone|configstore|hcloud|scw|stripe|planetscale|op|netlify)(?:/|$)",
    "\\.aws/(?:cli|sso)/",
    "\\.azure/(?:service_principal|msal_)",
    "\\.(?:docker|aliyun|bluemix|twilio-cli|railway)/config\\.json$",
    "\\.(?:kube|oci|snowsql|influxdbv2)/configs?$",
    "gcloud/(?:legacy_credentials/|[^/]*\\.db$)",
    "(?:doctl|scw)/config\\.ya?ml$",
    "gh/hosts\\.yml$",
    "config/hub$",
    "(?:\\.?composer|\\.codex|\\.vercel|containers)/auth\\.json$",
    "\\.m2/settings\\.xml$",
    "\\.gradle/gradle\\.properties$",
    "\\.(?:circleci/cli|travis/config|fly/config|dbt/profiles|okta/okta)\\.ya?ml$",
    "\\.vscode/sftp\\.json$",
    "\\.idea/webservers\\.xml$",
    "\\.?(?:xchat2?/servlist_?\\.conf|recon-ng/keys\\.db)$",
    "\\.jfrog/jfrog-cli\\.conf",
    "\\.?(?:purple/accounts\\.xml|irssi/config|vnc/passwd|subversion/auth/)",
    "etc/(?:shadow|gshadow|passwd)-?$",
    "(?:group|host)_vars/(?:.*/)?vault\\.ya?ml$",
    "kubernetes/(?:admin|kubelet|controller-manager|scheduler)\\.conf$",
  ].join("|")})|^auth\\.json$`,
  "i",
);

/** Templates hold no secret yet. Helm keeps its templates in a directory of this name. */
const TEMPLATE_NAME =
  /(?:^|[._-])(?:example|sample|template)s?(?:[._-]|$)|[._-](?:tmpl|tpl|j2|erb|dist|defaults?|schema|skel|stub)(?:\.\w+)?$/;
const TEMPLATE_FOLDER = /(?:^|\/)templates\/.*\.ya?ml$/i;

/** Code and prose: most files of a tree skip the rules above. */
const SOURCE: ReadonlySet<string> = new Set(
  (
    "c h cc cpp cxx hpp hh m mm cs fs vb go rs zig java kt kts scala groovy swift dart py pyi pyx rb php pl pm lua r jl " +
    "js mjs cjs jsx ts mts cts tsx vue svelte astro css scss sass less html htm xhtml hs ex exs erl clj elm ml mli " +
    "sql proto graphql tf hcl md mdx rst adoc po pot svg ipynb tex diff patch"
  ).split(" "),
);

export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  if (EXTENSIONS.has(extension)) return true;
  if (!NAMES.has(name) && (SOURCE.has(extension) || !(NAME_RULE.test(name) || LOGIN_PATH.test(path)))) return false;
  return !TEMPLATE_NAME.test(name) && !TEMPLATE_FOLDER.test(path);
}

function joinPatterns(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"));
}
