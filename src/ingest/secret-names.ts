/**
 * Paths of files that hold credentials by convention. Data files only: `secrets.py` or `credentials.md` is code or prose
 * about secrets and stays searchable (its text is still masked, see mask-secrets.ts).
 */

/** Whole file names, in lower case, without the dots and underscores they begin with. */
const NAMES: ReadonlySet<string> = new Set(
  [
    // Machine, mail and database logins
    "netrc shosts s3cmd authinfo pgpass pgpass.conf my.cnf mylogin.cnf psql_pass msmtprc mpoprc fetchmailrc esmtprc",
    "offlineimaprc mbsyncrc muttrc sasl_passwd htpasswd htdigest proftpdpasswd smbpasswd passwd.client passwd",
    "passwd-s3fs smbcredentials credentials cvspass authinfo2 mpdpasswd pine-passfile tomcat-users.xml",
    "mgmt-users.properties application-users.properties wpa_supplicant.conf hostapd.conf chap-secrets pap-secrets",
    "ipsec.secrets psk.txt xauthority erlang.cookie google_authenticator rhosts wgetrc kcpassword sssd.conf",
    "ddclient.conf debian.cnf jetty-realm.properties secrets.ldb secrets.tdb passdb.tdb secrets.mkey bitcoin.conf",
    "wallet.dat wallet.json pwd.db spwd.db roadtools_auth flyrc sslkeylog.log local-users ntds.dit gvm-tools.conf",
    "ntp.keys chrony.keys p4tickets arcrc renviron cqlshrc",
    // Answers of unattended installations, with the password of the administrator
    "unattend.xml unattended.xml autounattend.xml unattend.inf unattend.txt sysprep.inf sysprep.xml",
    "customsettings.ini anaconda-ks.cfg mdatp_managed.json",
    // Package registries and code hosts
    "pypirc git-credentials gitcredentials dockercfg dockerconfigjson sentryclirc galaxy_token heroku.json",
    "credentials.tfrc.json clasprc.json terraformrc terraform.rc settings-security.xml netlify-token gitrobrc",
    "composer-auth.json hex.config",
    // Cloud providers and their tools
    "s3cfg s3cmd.ini boto s3curl tugboat rclone.conf accesstokens.json azureprofile.json rootkey.csv accesskeys.csv",
    "databrickscfg kaggle.json clouds.yaml dev.vars civo.json doctl.yaml local.settings.json ossutilconfig ovhrc",
    "ovh.conf msal_token_cache.json msal_token_cache.bin ngrok.yml modal.toml adc.json gcp-key.json gcloud-key.json",
    "scwrc novarc gcp-keyfile.json google-key.json keyfile.json tokencache.dat azurermcontext.json",
    "service_principal_entries.json service_principal_entries.bin firebase-tools.json claude.json known_tokens.csv",
    "jupyter_notebook_config.json jupyter_server_config.json k3s.yaml rke2.yaml talosconfig bootstrap-kubelet.conf",
    "kubelet.conf access_tokens.db credentials.db aws_credential_file deployment-config.json transifexrc sslmate",
    "myclirc wakatime.cfg wskprops oauth2l vt.toml runpod.yaml vultr-cli.yaml rsync-password rsync_pass rsync.pass",
    "rsyncd.conf dropbox_uploader edgerc astrarc wget2rc gallery-dl.conf server_tokens.json vagrant_login_token",
    "tailscaled.state auth-session.json jsapi_ticket.json twurlrc trc github.sublime-settings",
    "http-client.private.env.json httr-oauth",
    // Secret stores and their passwords
    "vault-token vault_token vault_pass vault-pass vaultpass vault_password vault-password vault_pass.txt",
    "vault-pass.txt vault-keys.json cluster-keys.json init-keys.json encrypted_data_bag_secret data_bag_key keystore",
    "kwallet gnucash",
    // Remote clients
    "sftp-config sftp-config.json sftp.json ftpsync.settings ftpconfig ftppass remote-sync.json filezilla.xml",
    "sitemanager.xml recentservers.xml winscp.ini ftp.ini ws_ftp.ini wcx_ftp.ini ffftp.ini robomongo.json",
    "dbeaver-data-sources.xml credentials-config.json ventrilo_srv.ini cccam.cfg connections.xml logins.json",
    "robo3t.json product-preferences.xml accountrc clawsrc passwordstorerc gftprc ftplist.txt signons.sqlite wand.dat",
    "cookies.binarycookies mobaxterm.ini confcons.xml rdcman.settings dbvis.xml sqlstudio.bin configuration.user.xpl",
    "running-config startup-config running-config.cfg startup-config.cfg hudson.util.secret",
    "jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml",
    // Keys and their passwords
    "otr.private_key keystore.properties key.properties signing.properties mnemonic mnemonic.txt env envrc kubeconfig",
    "secret secrets token credential keypair keyring pass passwd.adjunct shadow shadow- gshadow gshadow-",
    "master.passwd",
    // Code files that frameworks tell their users to keep out of version control
    "secret_token.rb wp-config.php localsettings.php prod.secret.exs dev.secret.exs",
    // What was typed into a shell or a client
    "zhistory histfile histdb",
  ].flatMap((names) => names.split(" ")),
);

const OFFICE = "docx?|xlsx?|od[ts]|rtf|pdf";
/** Data formats; a file of another format with a suspicious name is code or prose. */
const DATA =
  "(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|props|xml|plist|csv|tsv|txt|text|env|enc|pickle|dat|" +
  `db|ibd|mdb|accdb|sqlite3?|log|lst|list|inc|${OFFICE})`;
const STAGE =
  "(?:prod|production|prd|dev|devel|development|stage|staging|stg|test|testing|qa|uat|local|live|ci|private|enc)";
const OWNER =
  "(?:my|our|app|application|db|database|admin|root|user|aws|gcp|google|azure|github|gitlab|slack|openai|stripe|docker|k8s|ssh)";
const KEY_WORD =
  "(?:passwords?|passwds?|passphrases?|pass(?:word)?list|passfile|passcodes?|userpass|" +
  "(?:api|private|secret|access)[._-]?keys?|(?:access|auth|api|refresh|bot|bearer|oauth|github|gitlab|slack|aws)[._-]?tokens?)";

/** File names, in lower case, that follow a rule. */
const NAME_RULE = joinPatterns([
  "^\\.(?:exports|extra|gist|pause|keys?\\.\\w+)$",
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
  `(?:[._-]|laps)(?:${KEY_WORD}|token)\\.(?:txt|csv|dat|ibd|${OFFICE})$`,
  `^(?:pass(?:es)?|pwd|logins?|accounts|ftp)\\.(?:txt|dat|csv|ibd|${OFFICE})$`,
  // google-api-private-key.json, oauth-access-token.yml
  `[._-](?:api|private|secret|access)[._-]?(?:private[._-]?)?keys?\\.(?:json|ya?ml|ini|properties)$`,
  // ovh-openrc.sh, keystonerc_admin, age-key.txt, auth-credentials.sh
  "(?:^|-)openrc(?:\\.sh)?$",
  "^keystonerc_",
  "^age[._-]?keys?\\.txt$",
  `(?:^|[._-])(?:secrets?|credentials?|creds|passwords?)\\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$`,
  // api_key, aws-credentials: no extension at all
  "^[._]*\\w+(?:auth|access|api|login|openai)[._-]?token$",
  `^[._]*(?:(?:${OWNER}|${STAGE})[._-])*(?:${KEY_WORD}|pass(?:es)?|pwd|credentials?|secrets?)$`,
  `^(?:(?:${OWNER}|${STAGE})[._-])*token(?:[._-](?:${STAGE}|v\\d))*\\.(?:json|txt|ya?ml|toml|pickle|dat)$`,
  // Keys of Google's services
  "^client_secrets?.*\\.json$",
  "^(?:.*[._-])?service[._-]?accounts?(?:[._-]?(?:key|keys|credentials|creds))?(?:[._-](?:\\d+|" +
    STAGE +
    "))*\\.json$",
  "firebase-adminsdk.*\\.json$",
  "^gha-creds-.*\\.json$",
  // Keys of SSH, Amazon's downloads, Kubernetes, Ethereum and WireGuard
  "(?:^|[._-])id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\\.(?:txt|key))?$",
  "_(?:rsa|dsa|ecdsa|ed25519)$",
  "^ssh_host_\\w+_key$",
  "_accesskeys\\.csv$",
  "^kubeconfig[._-]",
  "[._-]kubeconfig(?:\\.ya?ml|\\.json)?$",
  "^utc--\\d{4}-",
  "^wg\\d+\\.conf$",
  "(?:^|[._-])htpasswds?(?:[._-]\\w+)?$",
  "^\\.(?:private|auth|authrc|envs|ftp-access)$",
  "[._-]private\\.(?:ini|properties|conf|cfg|toml|env)$",
  // Kerberos, Concourse, Kubernetes, KeePass, PGP
  "^krb5cc_",
  "^(?:host|session[_-]signing)[_-]key$",
  "^encryption-(?:provider-)?config\\.ya?ml$",
  "^keepass\\.(?:config|enforced|ini)",
  "^(?:sec|secret|private)[\\w-]*\\.asc$",
  "^\\.dev\\.vars\\.",
  "(?:recovery|backup)[._-]?codes?\\.(?:txt|csv|json|pdf|docx?)$",
  "^sqlaliases\\d*\\.xml$",
  "^filezilla server(?: interface)?\\.xml$",
  "^key[34]\\.db$",
  // .bash_history, psql_history, ConsoleHost_history.txt
  "host_history\\.txt$",
  "^\\.[\\w.-]*history$",
  "^\\.?(?:bash|zsh|sh|fish|ksh|mysql|psql|sqlite|rediscli|irb|pry|python|node_repl|mongo|php)_history$",
]);

/** Extensions, in lower case. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "pem key keypair p12 pfx pkcs12 pk12 p8 pk8 pvk jks jceks keystore keytab bks kdb kdbx ppk ovpn gpg pgp keychain " +
    "keychain-db keyring kwallet kwl agilekeychain opvault psafe3 tblk bek fve tpm rdp cscfg publishsettings " +
    "azurepubxml pubxml mobileprovision sqldump netrc secret secrets token boto credentials cred pass password " +
    "passwords pwd psk ccache agekey remmina enpassdb 1pif 1pux wallet pcf keys rdg rtsz rtsx tvopt sdtid ftpconfig " +
    "nmconnection ucs htpasswd passwd gnucash kubeconfig avastlic private_key"
  ).split(" "),
);

/** Command-line programs that keep logins in their own directory of the user's home. */
const TOOLS = (
  "1password acli akamai algolia argocd astra atlascli atuin awsvault batchsh bitwarden bridgecrew cassandra censys " +
  "checkmarx civo cloudflared cloudsmith com\\.vercel\\.cli configstore containers coursier databricks davfs2 dcos " +
  "doctl expo fastly fauna filezilla fly gallery-dl gcli gcloud gh github-copilot glab-cli goat gotify gptcommit " +
  "grafanactl graphite hcloud heroku hex httpie hub huggingface imap-backup ivy2 jfrog k6 keybase lein letsencrypt " +
  "linode-cli luarocks mc mcp-auth mobiledev mycli neonctl netlify now oci op opencode openhue openstack openvpn " +
  "oxide phylum pianobar planetscale pub-cache pulumi pypoetry railway rancher rclone remmina rsync runpod sbt scw " +
  "shodan snowflake snowsql soracom sops spaceship sqlcmd stripe supabase tailscale talos todoist turso uaa uv " +
  "vagrant\\.d vercel vultr wakatime weechat wget2? wrangler znc borg"
).replaceAll(" ", "|");
const USER_DIRECTORY =
  "(?:\\.|\\.config/\\.?|\\.cache/|\\.local/(?:share|state)/|library/(?:application support|preferences)/\\.?)";

/** Files of a package that is only named after secrets. */
const PROJECT_FILE =
  "(?:makefile|\\w*dockerfile|licen[cs]e|notice|owners|authors|readme|changelog|build|package(?:-lock)?\\.json|" +
  "tsconfig[\\w.-]*\\.json|\\w+\\.config\\.json|project\\.json|cargo\\.toml|pyproject\\.toml|pom\\.xml|cmakelists\\.txt|" +
  "requirements\\.txt|kustomization\\.ya?ml|chart\\.ya?ml|values\\.ya?ml|manifest\\.json|[\\w.-]*schema\\.json)";

/** Paths where tools store logins, after a slash or at the start. */
const LOGIN_PATH = new RegExp(
  `(?:^|/)(?:${[
    "ssh/config$",
    "(?:\\.?openshift/)?express\\.conf$",
    "\\.ssh/(?!(?:.*/)?(?:known_hosts|authorized_keys|[^/]*\\.pub|readme[^/]*)$)",
    "\\.(?:gnupg|password-store|secrets|credentials|keys|ecryptfs|fscrypt|git-credential-cache|1password|vaults)/",
    `${USER_DIRECTORY}(?:${TOOLS}|bitwarden cli)/(?:[^/]+/)*(?:[^/.]+|[^/]+\\.(?:state|${DATA}))$`,
    "\\.aws/(?:cli|sso|login)/",
    "\\.azure/(?:service_principal|msal_)",
    "\\.(?:docker|copilot|aliyun|bluemix|twilio-cli|railway)/config\\.json$",
    "\\.(?:kube|oci|snowsql|influxdbv2)/configs?$",
    "gcloud/(?:legacy_credentials/|[^/]*\\.db$)",
    "(?:doctl|scw)/config\\.ya?ml$",
    "gh/hosts\\.yml$",
    "\\.?config/hub$",
    "\\.aws/config$",
    "\\.kube/[^/.]+$",
    "(?:keychains|\\.electrum)/",
    "(?:\\.?composer|\\.codex|\\.vercel|containers)/auth\\.json$",
    "\\.m2/settings\\.xml$",
    "\\.gradle/gradle\\.properties$",
    "\\.(?:circleci/cli|travis/config|fly/config|dbt/profiles|okta/okta)\\.ya?ml$",
    "\\.vscode/s?ftp[\\w-]*\\.json$",
    "(?:\\.idea/)?webservers\\.xml$",
    "\\.?(?:xchat2?/servlist_?\\.conf|recon-ng/keys\\.db)$",
    "\\.jfrog/jfrog-cli\\.conf",
    "\\.?(?:purple/accounts\\.xml|irssi/config|vnc/passwd|subversion/auth/)",
    "etc/passwd-?$",
    "\\.?dbeaver/data-sources\\.json$",
    "\\.(?:bazaar|bzr)/authentication\\.conf$",
    "\\.vagrant/.*private_key$",
    // Whatever data lies beside other secrets: secrets/postgres.txt, credentials/auth.json
    `(?:secrets|credentials|creds|private[_-]?keys?)/(?:${STAGE}/)?(?!${PROJECT_FILE}$)(?:[^/.]+|[^/]+\\.${DATA})$`,
    "[^/]*\\.(?:agilekeychain|opvault|keychain|svn/auth)/",
    "(?:networkmanager/system-connections|smstemp|sms/data)/",
    "preferences/.*/(?:groups|services|scheduledtasks|datasources|printers|drives)\\.xml$",
    "firefox/(?:.*/)?cookies\\.sqlite$",
    "(?:[^/]*chrome|chromium|opera|[^/]*edge|brave[^/]*|vivaldi)/(?:.*/)?cookies$",
    "login data$",
    "(?:group|host)_vars/(?:.*/)?vault\\.ya?ml$",
    "kubernetes/(?:admin|kubelet|controller-manager|scheduler)\\.conf$",
  ].join("|")})|(?:^|/)\\.auth\\.json$|^auth\\.json$`,
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

/** A copy that a user or an editor left beside the file. */
const BACKUP = /(?:[._-](?:bak|old|orig|save|backup|copy|swp)|\.\d\d?|~)+$/;

export function isSecretPath(path: string): boolean {
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(BACKUP, "");
  const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  if (EXTENSIONS.has(extension)) return true;
  if (
    !NAMES.has(name.replace(/^[._]+/, "")) &&
    ((SOURCE.has(extension) && !name.startsWith(".env.")) || !(NAME_RULE.test(name) || LOGIN_PATH.test(path)))
  )
    return false;
  return !TEMPLATE_NAME.test(name) && !TEMPLATE_FOLDER.test(path);
}

function joinPatterns(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"));
}
