/** File names that public rule sets call sensitive, and names that only look like it. */
import { describe, expect, test } from "vitest";
import { isSecretPath } from "./secret-names.ts";

const SECRET = `
  .env .env.local .env.production .env-staging .envrc prod.env config/production.env docker/app.env .env.backup
  secrets.yml config/secrets.yaml secrets.toml .streamlit/secrets.toml secret.json secrets.json secrets.ini
  secrets.properties app-secrets.yaml secrets.prod.yml k8s/db-secret.yaml appsettings.secrets.json secrets.enc.yaml
  terraform.tfvars prod.auto.tfvars env/dev.tfvars.json terraform.tfstate terraform.tfstate.backup
  .cargo/credentials .cargo/credentials.toml .config/gh/hosts.yml .config/hub .config/glab-cli/config.yml
  .config/gcloud/application_default_credentials.json .config/gcloud/credentials.db
  .config/gcloud/legacy_credentials/me/adc.json gcp-credentials.json google-credentials.json gcp-key.json
  client_secret_123.apps.googleusercontent.com.json client_secrets.json service-account.json serviceAccountKey.json
  my-app-firebase-adminsdk-x1.json gha-creds-abc.json
  rclone.conf .config/rclone/rclone.conf kubeconfig kubeconfig.yaml prod.kubeconfig .kube/config kubeconfig-prod
  credentials.csv credentials.json credentials.yml credentials.xml new_user_credentials.csv accessKeys.csv rootkey.csv
  me_accessKeys.csv .aws/credentials .aws/sso/cache/a.json .s3cfg .boto .azure/accessTokens.json
  token.txt token.json .token access_token.txt auth_token.txt api_key.txt apikey.json github-token.txt
  password.txt passwords.csv db_password.txt secrets/postgres-password.txt passphrase.txt private_key.txt
  id_rsa .ssh/id_ed25519 deploy_rsa .ssh/config ssh_host_rsa_key server.pem tls.key cert.p12 cert.pfx app.jks
  release.keystore AuthKey_1.p8 putty.ppk vpn.ovpn backup.kdbx login.keychain http.keytab secring.gpg signing.pvk
  my.agilekeychain my.psafe3 app.publishsettings ServiceConfiguration.cscfg host.rdp key.properties keystore.properties
  .netrc _netrc .pgpass .my.cnf .pypirc .git-credentials .dockercfg .docker/config.json .htpasswd auth.json
  .composer/auth.json .m2/settings.xml .gem/credentials .gradle/gradle.properties .terraformrc
  .terraform.d/credentials.tfrc.json .vault-token vault_pass.txt .vault_pass sftp-config.json .ftpconfig filezilla.xml
  recentservers.xml WinSCP.ini robomongo.json .dbeaver-data-sources.xml jenkins/credentials.xml tomcat-users.xml
  etc/shadow proftpdpasswd otr.private_key .purple/accounts.xml .bash_history .psql_history .mysql_history
  .history .zhistory bash_history zsh_history
  .databrickscfg .kaggle/kaggle.json .sentryclirc .clasprc.json .dev.vars local.settings.json ngrok.yml
  config/master.key config/prod.secret.exs config/initializers/secret_token.rb wp-config.php LocalSettings.php
  site.pubxml site.pubxml.user .gitrobrc .foo_history ssh/config id_dsa.bak id_ed25519.old deploy.private_key credential kwallet
  .openshift/express.conf CCcam.cfg connections.xml logins.json license.avastlic
  http-client.private.env.json .httr-oauth wg0.conf group_vars/all/vault.yml UTC--2024-01-01T00-00-00.0Z--abc
  ConsoleHost_history.txt .python-history .pl-history unattend.xml Autounattend.xml sysprep.inf krb5cc_1000 a.keytab user.ccache
  Psmapp.cred VaultUser.pass users.pwd wifi.psk etc/NetworkManager/system-connections/home.nmconnection passwords.docx
  pass.txt api_key aws-credentials .password .htpasswd-old .htpasswds wp-config.php-backup s3cmd.ini wgetrc .env.php .env~
  app/google-api-private-key.json database_credentials.inc password.sqlite discord_backup_codes.txt github-recovery-codes.txt
  k3s.yaml known_tokens.csv encryption-config.yaml key4.db firefox/x/cookies.sqlite app.agilekeychain/data confCons.xml servers.rdg
  running-config .google_authenticator secrets/prod/db.json credentials/token .kube/prod .aws/config .ssh/work ovh-openrc.sh
  .config/stripe/config.toml .config/snowflake/connections.toml .local/share/opencode/auth.json .pulumi/credentials.json
  .transifexrc .config/acli/jira_config.yaml .config/k6/config.json .vagrant.d/data/vagrant_login_token .mobiledev/openaitoken
`;

const ORDINARY = `
  .env.example .env.sample .env.template .env.dist example.env terraform.tfvars.example sample.tfvars
  secrets.example.yml secrets.yml.sample credentials.json.dist secrets.schema.json chart/templates/secrets.yaml
  secrets.py secrets.ts credentials.ts token.go src/token.rs password.rb Secret.java api_key.js auth.ts
  secrets.md docs/credentials.rst tokens.css secrets.tf credentials.sql lang/en/passwords.php
  tokens.json tokenizer.json token-list.json secrets-manager.yaml password-reset.html credentials-provider.yaml
  environment.ts env.d.ts src/env.ts env/README.md dotenv.json monkey keyring.py keyboard.json id_rsa.pub
  .ssh/known_hosts .ssh/authorized_keys settings.xml gradle.properties config.json config.yml hosts.yml
  .gitignore .gitconfig .npmrc .yarnrc.yml .bashrc Dockerfile Makefile package.json database.yml application.properties
  ssh/config.go id_rsa.pub id_rsa.md src/history_test.go credential.go
  HISTORY docs/history History.md nuget.config web.config public.crt ca.cer key.h keys.json tests/test_create_user_password.yml
  src/Illuminate/Support/Env.php .config/nextest.toml .config/dotnet-tools.json .config/i3/config .config/nvim/init.lua
  .cargo/config.toml .claude/settings.json .gemini/settings.json .codex/config.toml
  .kube/deployment.yaml .aws/task-definition.json locales/en/auth.json tokens/colors.json src/secrets/index.ts packages/secrets/package.json
  roles/secrets/tasks/main.yml lib/credentials/Makefile charts/secrets/values.yaml compass.ini
`;

const words = (list: string) => list.trim().split(/\s+/);

describe("kept out", () => {
  test.each(words(SECRET))("%s", (path) => {
    expect([path, `deep/inside/${path}`].map(isSecretPath)).toEqual([true, path !== "auth.json"]);
  });
  test("the list is long enough to mean something", () => expect(words(SECRET).length).toBeGreaterThan(150));
});

describe("indexed", () => {
  test.each(words(ORDINARY))("%s", (path) => expect([path, `a/${path}`].map(isSecretPath)).toEqual([false, false]));
});
