/** A guide that the server serves at `/docs/{name}`; its text is `docs/guide/{name}.md`. */
export interface Guide {
  name: string
  /** The heading of the text. */
  title: string
  /** One line for lists. */
  summary: string
  /** Search terms, besides the words of the title. */
  words: string
}

/** Every guide, in the order in which a new installation needs them. */
export const guides: Guide[] = [
  {
    name: 'your-first-client',
    title: 'Sign users in from your application',
    summary: 'An app with a server, with any OpenID Connect library',
    words: 'first client oidc openid connect oauth register node',
  },
  {
    name: 'your-first-browser-app',
    title: 'Sign users in from a browser app',
    summary: 'An app without a server, with our sign-in client',
    words: 'first client oidc oauth register spa javascript',
  },
  {
    name: 'your-first-api',
    title: 'Protect an API of your own',
    summary: 'Access tokens with your scopes, for users and services',
    words: 'first identity api scopes audience resource server jwt verify introspection client credentials',
  },
  {
    name: 'personal-tokens',
    title: 'Personal tokens for your own programs',
    summary: 'A script or a CI job that calls the API',
    words: 'api key bearer pat curl secret scanning introspection',
  },
  {
    name: 'preferences',
    title: 'Preferences: settings of users for your apps',
    summary: 'Keys and values with a history, on every device',
    words: 'settings key value store history versions restore etag conflict quota',
  },
  {
    name: 'avatars',
    title: 'Avatars: pictures and 3D models',
    summary: 'Upload, import and show them, and their limits',
    words: 'avatar profile picture photo glb gltf vrm ready player me import',
  },
  {
    name: 'the-directory',
    title: 'The directory: users, roles, organisations, groups',
    summary: 'A tour of the console in ten minutes',
    words: 'tour console organizations invitations trash',
  },
  {
    name: 'the-directory-as-a-file',
    title: 'The directory as a file',
    summary: 'Roles, groups, applications and APIs in a repository',
    words: 'config configuration export apply json git',
  },
  {
    name: 'importing',
    title: 'Import from Keycloak or a file',
    summary: 'Users with their passwords, groups, roles and organisations',
    words: 'import migrate migration keycloak csv bcrypt argon2 pbkdf2 scrypt password hash realm export move',
  },
  {
    name: 'entitlements',
    title: 'Entitlements: what organisations may use',
    summary: 'Seats and features, for an app to ask and to meter',
    words: 'licences licenses seats features flags quantities grants quota usage metering ent claim',
  },
  {
    name: 'checking-permissions',
    title: 'Checking permissions from an application',
    summary: 'Schema, relationships and checks over HTTP',
    words: 'spicedb zanzibar authorization lookup watch',
  },
  {
    name: 'administering-by-script',
    title: 'Administering by a script',
    summary: 'The scopes and the limits of an application that administers',
    words: 'api automation client credentials passport.admin curl service account',
  },
  {
    name: 'connected-accounts',
    title: 'Connected accounts',
    summary: 'Meta Horizon, headsets and other services',
    words: 'connect link external oculus quest metahorizon connector',
  },
  {
    name: 'entra-organisations',
    title: 'Organisations from Microsoft Entra',
    summary: 'Customers whose employees sign in at Microsoft',
    words: 'azure active directory tenant consent sso graph office 365',
  },
  {
    name: 'provisioning',
    title: 'Provisioning: users and groups from Microsoft Entra',
    summary: 'A set-up link for your customer, and SCIM',
    words: 'scim provision sync leaver joiner token set-up setup link okta customer administrator',
  },
  {
    name: 'aws-marketplace',
    title: 'Products in AWS Marketplace',
    summary: 'Subscriptions at AWS that give entitlements',
    words: 'amazon saas subscription contract free trial eventbridge entitlement buyer billing',
  },
  {
    name: 'branding',
    title: 'Branding and allowed origins',
    summary: 'Name, logo and colours, and web apps that call Passport',
    words: 'brand logo favicon icon accent theme colours cors cross-origin stack support link',
  },
  {
    name: 'content',
    title: 'Texts of your own',
    summary: 'Notices, terms and support, in several languages',
    words: 'static content markdown maintenance notice terms privacy support translations publish',
  },
  {
    name: 'configuration',
    title: 'Configuration',
    summary: 'Every setting, identity providers, secrets and operation',
    words: 'settings environment variables providers google microsoft mail smtp production deploy',
  },
  {
    name: 'mail',
    title: 'Mail and notices',
    summary: 'Connect a mail server, the queue, and notices',
    words: 'email smtp spf dkim dmarc queue resend notices test delivery spam templates',
  },
  {
    name: 'monitoring',
    title: 'Monitoring',
    summary: 'Health checks, metrics and alerts',
    words: 'health status healthz readyz prometheus metrics alerts grafana uptime observability latency',
  },
  {
    name: 'backups',
    title: 'Backups and upgrades',
    summary: 'Back up, restore, and upgrade PostgreSQL',
    words: 'backup pg_dump pg_restore pg_upgrade restore disaster recovery rollback migrate version',
  },
  {
    name: 'behind-a-proxy',
    title: 'Behind a proxy',
    summary: 'nginx, Caddy, HAProxy and load balancers',
    words: 'tls https nginx caddy haproxy load balancer',
  },
  {
    name: 'permissions-on-spicedb',
    title: 'Permissions on a SpiceDB',
    summary: 'Your own SpiceDB behind the same API',
    words: 'authzed engine',
  },
]
