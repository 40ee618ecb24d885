import { join, resolve } from 'node:path';
import {
  address,
  type Basis,
  base64,
  boolean,
  choice,
  connectionUrl,
  derived,
  domain,
  headerList,
  hidden,
  hosts,
  integer,
  isDerived,
  listed,
  mailbox,
  matching,
  namedServers,
  namedUrls,
  objectStorageUrl,
  origin,
  origins,
  path,
  proxies,
  token,
  type Variable,
  variable,
  webUrl,
} from './variables.ts';

const repository = resolve(import.meta.dirname, '../../..');

/** All variables, in the order of the documentation. */
const variables = {
  appEnv: variable({
    name: 'APP_ENV',
    kind: choice('local', 'testing', 'production'),
    default: 'local',
    help: 'The environment; `production` disables development features.',
  }),
  port: variable({
    name: 'PORT',
    kind: integer(0, 65_535),
    default: 8080,
    help: 'The port to listen on; 0 uses any free port.',
  }),
  host: variable({
    name: 'HOST',
    kind: address,
    default: derived('`0.0.0.0` in production, `127.0.0.1` elsewhere', ({ appEnv }) =>
      appEnv === 'production' ? '0.0.0.0' : '127.0.0.1',
    ),
    help: 'The address to listen on; `::` listens on all IPv4 and IPv6 addresses.',
  }),
  baseDomain: variable({
    name: 'BASE_DOMAIN',
    kind: domain,
    default: 'localhost',
    help: 'The domain whose subdomains are the tenants.',
  }),
  appUrl: variable({
    name: 'APP_URL',
    kind: origin,
    default: derived(
      '`http://<BASE_DOMAIN>:<PORT>`',
      ({ baseDomain, port }) => new URL(`http://${baseDomain}:${port}`).origin,
    ),
    help: 'The public URL of the platform, used in mails and links. If it is a subdomain of `BASE_DOMAIN`, no tenant can have that subdomain.',
  }),
  storagePath: variable({
    name: 'STORAGE_PATH',
    kind: path,
    default: derived('`storage` in the repository', () => join(repository, 'storage')),
    help: 'The folder for keys, files, mails and the embedded database.',
  }),
  appKey: variable({
    name: 'APP_KEY',
    kind: base64(32),
    secret: true,
    help: 'The key for encryption and signatures; if unset, one is created on the first start and stored in `app.key` under `STORAGE_PATH`.',
  }),
  appPreviousKey: variable({
    name: 'APP_PREVIOUS_KEY',
    kind: base64(32),
    secret: true,
    help: 'One previous `APP_KEY`, as in `APP_PREVIOUS_KEYS`.',
  }),
  appPreviousKeys: variable({
    name: 'APP_PREVIOUS_KEYS',
    kind: listed(base64(32)),
    default: [],
    secret: true,
    help: 'The previous values of `APP_KEY`, for reading data that was encrypted with them; `chowkd keys:reencrypt` makes them unnecessary.',
  }),
  installToken: variable({
    name: 'INSTALL_TOKEN',
    kind: token(8),
    secret: true,
    help: 'The token that POST requests of the installation must send as `X-Install-Token`; if unset, one is created and printed at the start, and required in production and from other machines.',
  }),
  logLevel: variable({
    name: 'LOG_LEVEL',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    help: 'The minimum severity of log lines.',
  }),

  databaseUrl: variable({
    name: 'DATABASE_URL',
    kind: connectionUrl(['postgres', 'postgresql'], { database: true }),
    help: 'The PostgreSQL server and the central database; if unset, an embedded PostgreSQL runs under `STORAGE_PATH`.',
  }),
  databaseServers: variable({
    name: 'DATABASE_SERVERS',
    kind: namedServers,
    default: [],
    help: 'Further PostgreSQL servers for tenant databases; `weight` is the share of new tenants, `0` for none. The server of `DATABASE_URL` is `main`.',
  }),
  databaseMainWeight: variable({
    name: 'DATABASE_MAIN_WEIGHT',
    kind: integer(0, 1000),
    default: 1,
    help: 'The share of new tenants of the server `main`, compared with the weights in `DATABASE_SERVERS`; `0` creates them elsewhere.',
  }),
  databaseConnections: variable({
    name: 'DATABASE_CONNECTIONS',
    kind: integer(4, 1000),
    default: 50,
    help: 'The maximum number of database connections of this process.',
  }),
  databaseConnectionsPerTenant: variable({
    name: 'DATABASE_CONNECTIONS_PER_TENANT',
    kind: integer(1, 1000),
    default: derived('`10`, or `DATABASE_CONNECTIONS` if that is less', ({ databaseConnections }) =>
      Math.min(10, databaseConnections),
    ),
    help: 'The maximum number of connections of this process to the database of one tenant; at most `DATABASE_CONNECTIONS`.',
  }),
  databaseConnectTimeoutMs: variable({
    name: 'DATABASE_CONNECT_TIMEOUT_MS',
    kind: integer(1, 600_000),
    default: 5000,
    help: 'The timeout for opening a database connection, in milliseconds.',
  }),
  databaseQueryTimeoutMs: variable({
    name: 'DATABASE_QUERY_TIMEOUT_MS',
    kind: integer(1, 3_600_000),
    default: 30_000,
    help: 'The timeout of a query, in milliseconds.',
  }),
  databaseWaitTimeoutMs: variable({
    name: 'DATABASE_WAIT_TIMEOUT_MS',
    kind: integer(1, 600_000),
    default: 5000,
    help: 'The timeout for waiting for a free database connection, in milliseconds.',
  }),
  slowQueryMs: variable({
    name: 'SLOW_QUERY_MS',
    kind: integer(0, 3_600_000),
    default: 1000,
    help: 'SQL statements that take at least this long are logged, in milliseconds; 0 turns the log off.',
  }),
  slowRequestMs: variable({
    name: 'SLOW_REQUEST_MS',
    kind: integer(0, 3_600_000),
    default: 3000,
    help: 'Requests that take at least this long are logged with their tenant, in milliseconds; 0 turns the log off.',
  }),
  otelExporterOtlpEndpoint: variable({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: webUrl,
    help: 'The OpenTelemetry collector that gets traces, such as `http://localhost:4318` (OTLP over HTTP). Without one nothing is traced.',
  }),
  otelExporterOtlpHeaders: variable({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: headerList,
    secret: true,
    help: 'Headers for the collector: `name=value`, separated by commas.',
  }),
  tracePercent: variable({
    name: 'TRACE_PERCENT',
    kind: integer(0, 100),
    default: 10,
    help: 'How many of a hundred requests and tasks are traced.',
  }),
  databaseCopyStrategy: variable({
    name: 'DATABASE_COPY_STRATEGY',
    kind: choice('wal_log', 'file_copy'),
    default: 'wal_log',
    help: 'How PostgreSQL copies the template of a new tenant; `file_copy` forces a checkpoint for each copy and is faster only on file systems that clone files.',
  }),
  spareDatabases: variable({
    name: 'SPARE_DATABASES',
    kind: integer(0, 50),
    default: 10,
    help: 'The number of empty tenant databases that are prepared in advance for new tenants.',
  }),
  migrateOnStart: variable({
    name: 'MIGRATE_ON_START',
    kind: boolean,
    default: derived('`false` in production, `true` elsewhere', ({ appEnv }) => appEnv !== 'production'),
    help: 'Whether `chowkd serve` migrates the tenant databases when it starts.',
  }),

  redisUrl: variable({
    name: 'REDIS_URL',
    kind: connectionUrl(['redis', 'rediss']),
    help: 'The Redis server; if unset, the cache is in process and processes notify each other through PostgreSQL.',
  }),
  mailUrl: variable({
    name: 'MAIL_URL',
    kind: connectionUrl(['smtp', 'smtps']),
    help: 'The mail server; if unset, mails are stored in `mail` under `STORAGE_PATH` instead of being sent.',
  }),
  mailFrom: variable({
    name: 'MAIL_FROM',
    kind: mailbox,
    default: derived('`Chowk <no-reply@<BASE_DOMAIN>>`', ({ baseDomain }) => `Chowk <no-reply@${baseDomain}>`),
    help: 'The sender of every mail.',
  }),
  inboundSmtpPort: variable({
    name: 'INBOUND_SMTP_PORT',
    kind: integer(0, 65_535),
    help: 'The port on which mails to conversations are received; if unset, none are received.',
  }),
  inboundSmtpHost: variable({
    name: 'INBOUND_SMTP_HOST',
    kind: address,
    default: derived('`0.0.0.0` in production, `127.0.0.1` elsewhere', ({ appEnv }) =>
      appEnv === 'production' ? '0.0.0.0' : '127.0.0.1',
    ),
    help: 'The address on which mails are received.',
  }),
  inboundMailDomain: variable({
    name: 'INBOUND_MAIL_DOMAIN',
    kind: domain,
    default: derived('`BASE_DOMAIN`', ({ baseDomain }) => baseDomain),
    help: 'The domain of the addresses of tenants, such as `acme@<domain>`: its MX record names this server.',
  }),
  inboundSmtpKey: variable({
    name: 'INBOUND_SMTP_KEY',
    kind: path,
    help: 'The PEM file of the private key with which mails are received over TLS (STARTTLS); if unset, there is no TLS.',
  }),
  inboundSmtpCertificate: variable({
    name: 'INBOUND_SMTP_CERTIFICATE',
    kind: path,
    help: 'The PEM file of the certificate for `INBOUND_SMTP_KEY`, with the whole chain.',
  }),
  fcmCredentials: variable({
    name: 'FCM_CREDENTIALS',
    kind: path,
    help: 'The JSON file of the Google service account that sends push notifications; if unset, none are sent.',
  }),
  fcmUrl: variable({
    name: 'FCM_URL',
    kind: webUrl,
    default: 'https://fcm.googleapis.com',
    help: 'The API of Firebase Cloud Messaging, or of a proxy in front of it.',
  }),
  objectStorageUrl: variable({
    name: 'OBJECT_STORAGE_URL',
    kind: objectStorageUrl,
    help: 'The S3 bucket for files; if unset, they are stored in `files` under `STORAGE_PATH`.',
  }),
  backupPath: variable({
    name: 'BACKUP_PATH',
    kind: path,
    help: 'The folder for backups, on another disk or machine; with it, or `BACKUP_STORAGE_URL`, the platform is backed up every night.',
  }),
  backupStorageUrl: variable({
    name: 'BACKUP_STORAGE_URL',
    kind: objectStorageUrl,
    help: 'The S3 bucket for backups, instead of `BACKUP_PATH`; they are below `chowk-backup/`.',
  }),
  backupKey: variable({
    name: 'BACKUP_KEY',
    kind: token(16),
    secret: true,
    help: 'The passphrase that encrypts backups; without it they cannot be read, so keep it in another place than the platform.',
  }),
  backupKeep: variable({
    name: 'BACKUP_KEEP',
    kind: integer(1, 10_000),
    default: 14,
    help: 'How many backups of the platform are kept; older ones are deleted after each backup.',
  }),

  ringName: variable({
    name: 'RING_NAME',
    kind: matching(
      /^[a-z0-9][a-z0-9-]{0,30}$/,
      'up to 31 lower-case letters, digits and hyphens, not starting with a hyphen',
    ),
    default: 'stable',
    help: 'The ring this process serves.',
  }),
  moduleLockPath: variable({
    name: 'MODULE_LOCK_PATH',
    kind: path,
    help: 'The lock file that lists the modules to load; if unset, `modules/manifests/<ring>.lock.json`, else `modules/manifest.lock.json`.',
  }),
  modulesPath: variable({
    name: 'MODULES_PATH',
    kind: path,
    default: derived('`modules` under `STORAGE_PATH`', ({ storagePath }) => join(storagePath, 'modules')),
    help: 'The folder for installed module packages, as `<alias>/<version>`.',
  }),
  moduleRegistryUrl: variable({
    name: 'MODULE_REGISTRY_URL',
    kind: webUrl,
    help: 'The registry of module packages: the generic package API of a GitLab project, such as `https://gitlab.example/api/v4/projects/12/packages/generic`; if unset, `MODULE_REGISTRY_PATH` is used.',
  }),
  moduleRegistryToken: variable({
    name: 'MODULE_REGISTRY_TOKEN',
    kind: token(1),
    secret: true,
    help: 'A GitLab token that can read the registry, and write to it if this machine publishes packages.',
  }),
  moduleRegistryPath: variable({
    name: 'MODULE_REGISTRY_PATH',
    kind: path,
    default: derived('`module-registry` under `STORAGE_PATH`', ({ storagePath }) =>
      join(storagePath, 'module-registry'),
    ),
    help: 'The folder that is the registry of module packages if `MODULE_REGISTRY_URL` is unset.',
  }),
  moduleSigningKeys: variable({
    name: 'MODULE_SIGNING_KEYS',
    kind: listed(base64(32)),
    default: [],
    help: 'Ed25519 public keys that may sign module packages; if set, an unsigned package is refused in production.',
  }),
  moduleHookTimeoutSeconds: variable({
    name: 'MODULE_HOOK_TIMEOUT_SECONDS',
    kind: integer(1, 86_400),
    default: 300,
    help: 'The maximum time that a hook of a module may take for one tenant, in seconds.',
  }),
  ringUrls: variable({
    name: 'RING_URLS',
    kind: namedUrls,
    default: {},
    help: 'Where the processes of other rings listen, such as `edge=http://10.0.0.7:8080`; for a ring without an entry, `k8s_service` of its row is used.',
  }),

  platformSignup: variable({
    name: 'PLATFORM_SIGNUP',
    kind: boolean,
    default: true,
    help: 'Whether a tenant can be created without a referral.',
  }),
  emailVerificationSignedOnly: variable({
    name: 'EMAIL_VERIFICATION_SIGNED_ONLY',
    kind: boolean,
    default: derived('`true` in production, `false` elsewhere', ({ appEnv }) => appEnv === 'production'),
    help: 'Whether only signed verification links are accepted; must be `true` in production.',
  }),
  graphqlIntrospection: variable({
    name: 'GRAPHQL_INTROSPECTION',
    kind: boolean,
    default: derived('`false` in production, `true` elsewhere', ({ appEnv }) => appEnv !== 'production'),
    help: 'Whether GraphQL introspection is enabled; a tenant may enable it for itself.',
  }),
  graphqlPlayground: variable({
    name: 'GRAPHQL_PLAYGROUND',
    kind: boolean,
    default: derived('`false` in production, `true` elsewhere', ({ appEnv }) => appEnv !== 'production'),
    help: 'Whether the GraphQL playground is served.',
  }),
  graphqlSchemaCacheTtl: variable({
    name: 'GRAPHQL_SCHEMA_CACHE_TTL',
    kind: integer(60, 2_592_000),
    default: 86_400,
    help: 'The time to cache a composed GraphQL schema, in seconds.',
  }),

  trustedProxies: variable({
    name: 'TRUSTED_PROXIES',
    kind: proxies,
    default: Object.freeze([]),
    help: 'The proxies in front of the platform; `X-Forwarded-*` headers are honored from these only.',
  }),
  corsOrigins: variable({
    name: 'CORS_ORIGINS',
    kind: origins,
    default: '*',
    help: 'The web origins whose pages may call the API; `*` is safe, because the API uses bearer tokens and no cookies.',
  }),
  outboundAllowHosts: variable({
    name: 'OUTBOUND_ALLOW_HOSTS',
    kind: hosts,
    default: Object.freeze([]),
    help: 'Hosts that modules may send requests to over `http` and at private addresses too; all others must be public and use `https`.',
  }),
  twilioUrl: variable({
    name: 'TWILIO_URL',
    kind: origin,
    default: 'https://api.twilio.com',
    help: 'The API of Twilio, for text messages of tenants that use it; a proxy on a private address must be in `OUTBOUND_ALLOW_HOSTS` too.',
  }),
  stripeUrl: variable({
    name: 'STRIPE_URL',
    kind: origin,
    default: 'https://api.stripe.com',
    help: 'The API of Stripe, for payment links of tenants that use it; a proxy on a private address must be in `OUTBOUND_ALLOW_HOSTS` too.',
  }),
  razorpayUrl: variable({
    name: 'RAZORPAY_URL',
    kind: origin,
    default: 'https://api.razorpay.com',
    help: 'The API of Razorpay, for payment links of tenants that use it; a proxy on a private address must be in `OUTBOUND_ALLOW_HOSTS` too.',
  }),
  messagesPerDay: variable({
    name: 'MESSAGES_PER_DAY',
    kind: integer(0, 1_000_000),
    default: 200,
    help: 'The number of emails and text messages that a tenant may send to customers on its first day; each further day of its age adds as many. 0 turns the limit off.',
  }),
  rateLimitPerMinute: variable({
    name: 'RATE_LIMIT_PER_MINUTE',
    kind: integer(0, 10_000_000),
    default: 3000,
    help: 'The maximum number of requests per minute of a user in a tenant, or of an anonymous network; 0 turns the limit off.',
  }),
  graphqlCostPerMinute: variable({
    name: 'GRAPHQL_COST_PER_MINUTE',
    kind: integer(0, 1_000_000_000),
    default: 100_000,
    help: 'The maximum complexity, in sum, of the GraphQL operations of a user in a tenant per minute; each value that introspection returns counts as one. 0 turns the limit off.',
  }),
  socketsPerNetwork: variable({
    name: 'SOCKETS_PER_NETWORK',
    kind: integer(1, 10_000_000),
    default: 1000,
    help: 'The maximum number of open realtime sockets of one network in this process.',
  }),
  loginFailuresPerMinute: variable({
    name: 'LOGIN_FAILURES_PER_MINUTE',
    kind: integer(1, 10_000),
    default: 10,
    help: 'The maximum number of failed sign-ins per minute from one address for one account; ten times as many from one address for all accounts.',
  }),
  resendsPerMinute: variable({
    name: 'RESENDS_PER_MINUTE',
    kind: integer(1, 1_000),
    default: 3,
    help: 'The maximum number of verification, invitation and password mails per minute for one user or one address.',
  }),
  applicationsPerMinute: variable({
    name: 'APPLICATIONS_PER_MINUTE',
    kind: integer(1, 10_000),
    default: 10,
    help: 'The maximum number of reseller applications and sign-ups per minute from one address.',
  }),
  bcryptCost: variable({
    name: 'BCRYPT_COST',
    kind: integer(4, 16),
    default: derived('`12`, and `4` when `APP_ENV` is `testing`', ({ appEnv }) => (appEnv === 'testing' ? 4 : 12)),
    help: 'The cost of password hashes; each increment doubles the time of a sign-in.',
  }),
  bodyLimitBytes: variable({
    name: 'BODY_LIMIT_BYTES',
    kind: integer(1024, 1_073_741_824),
    default: 1_048_576,
    help: 'The maximum size of a request body, in bytes, for actions without a limit of their own.',
  }),
  metricsToken: variable({
    name: 'METRICS_TOKEN',
    kind: token(8),
    secret: true,
    help: 'If set, `/metrics` requires it as bearer token; if unset, `/metrics` is served to loopback only.',
  }),
  shutdownSeconds: variable({
    name: 'SHUTDOWN_SECONDS',
    kind: integer(1, 300),
    default: 25,
    help: 'The maximum time that a stop waits for requests in flight, in seconds.',
  }),

  cliReleasesDefaultAdapter: variable({
    name: 'CLI_RELEASES_DEFAULT_ADAPTER',
    kind: choice('gitlab', 'static'),
    default: 'gitlab',
    help: 'The source of releases of the command-line client for tenants without their own channel.',
  }),
  cliReleasesGitlabProject: variable({
    name: 'CLI_RELEASES_GITLAB_PROJECT',
    kind: matching(/^[\w.-]+(?:\/[\w.-]+)*$/, 'a GitLab project id or path such as group/project'),
    help: 'The GitLab project that holds the releases.',
  }),
  cliReleasesGitlabApiUrl: variable({
    name: 'CLI_RELEASES_GITLAB_API_URL',
    kind: webUrl,
    default: 'https://gitlab.com/api/v4',
    help: 'The GitLab API.',
  }),
  cliReleasesGitlabToken: variable({
    name: 'CLI_RELEASES_GITLAB_TOKEN',
    kind: token(1),
    secret: true,
    help: 'A GitLab token with read-only API scope; it is never sent to clients.',
  }),
  cliReleasesStaticManifestUrl: variable({
    name: 'CLI_RELEASES_STATIC_MANIFEST_URL',
    kind: webUrl,
    help: 'The release manifest of the `static` adapter.',
  }),
};

type Variables = typeof variables;

export type Config = {
  readonly [Key in keyof Variables]: Variables[Key] extends Variable<infer Value> ? Value : never;
} & {
  /** The names of the variables that are set in the environment. */
  readonly setVariables: readonly string[];
};

/** An invalid configuration; the message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const entries = Object.entries(variables) as ReadonlyArray<[keyof Variables, Variable<unknown>]>;

export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const setVariables: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of entries) {
    const text = env[variable.name]?.trim() ?? '';
    const value = text === '' ? undefined : variable.kind.parse(text);
    if (text !== '') setVariables.push(variable.name);
    if (text !== '' && value === undefined) problems.push(invalidValue(variable, text));
    values[key] = value ?? resolveDefault(variable, values as unknown as Basis);
  }
  const config = Object.freeze({ ...values, setVariables: Object.freeze(setVariables) }) as Config;
  // Only for valid values: an invalid one was replaced by its default.
  if (problems.length === 0) problems.push(...findConflicts(config));
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return config;
}

function resolveDefault(variable: Variable<unknown>, basis: Basis): unknown {
  return isDerived(variable.default) ? variable.default.from(basis) : variable.default;
}

/** On one line, shortened, in quotes. */
function quote(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return `"${short.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '�')}"`;
}

function findConflicts(config: Config): string[] {
  const problems: string[] = [];
  if (config.databaseConnectionsPerTenant > config.databaseConnections) {
    problems.push(
      `DATABASE_CONNECTIONS_PER_TENANT must be at most DATABASE_CONNECTIONS (${config.databaseConnections}), ` +
        `not "${config.databaseConnectionsPerTenant}"`,
    );
  }
  if (config.databaseMainWeight === 0 && config.databaseServers.every(({ weight }) => weight === 0)) {
    problems.push('DATABASE_MAIN_WEIGHT must be at least 1 unless a server of DATABASE_SERVERS has a weight, not "0"');
  }
  if (config.appEnv === 'production' && !config.emailVerificationSignedOnly) {
    problems.push('EMAIL_VERIFICATION_SIGNED_ONLY must be true in production, not "false"');
  }
  if (config.backupPath !== undefined && config.backupStorageUrl !== undefined) {
    problems.push('BACKUP_PATH and BACKUP_STORAGE_URL must not both be set');
  }
  if ((config.backupPath ?? config.backupStorageUrl) !== undefined && config.backupKey === undefined) {
    problems.push('BACKUP_KEY must be set for backups');
  }
  if (config.appEnv === 'production' && config.bcryptCost < 10) {
    problems.push(`BCRYPT_COST must be at least 10 in production, not "${config.bcryptCost}"`);
  }
  return problems;
}

export interface DescribedVariable {
  readonly name: string;
  readonly value: string;
  readonly source: 'environment' | 'default';
  readonly help: string;
}

/** The configuration as text, without secrets. */
export function describeConfig(config: Config): DescribedVariable[] {
  return entries.map(([key, variable]) => ({
    name: variable.name,
    value: showValue(variable, config[key]),
    source: config.setVariables.includes(variable.name) ? 'environment' : 'default',
    help: variable.help,
  }));
}

function showValue(variable: Variable<unknown>, value: unknown): string {
  if (value === undefined) return '(unset)';
  return variable.secret ? hidden : variable.kind.show(value);
}

export interface DocumentedVariable {
  readonly name: string;
  readonly allowed: string;
  /** Markdown. */
  readonly default: string;
  /** Markdown. */
  readonly help: string;
  readonly secret: boolean;
}

export function documentedVariables(): DocumentedVariable[] {
  return entries.map(([, variable]) => ({
    name: variable.name,
    allowed: variable.kind.allowed,
    default: describeDefault(variable),
    help: variable.help,
    secret: variable.secret === true,
  }));
}

function describeDefault({ default: value, kind }: Variable<unknown>): string {
  if (value === undefined) return 'unset';
  return isDerived(value) ? value.description : `\`${kind.show(value)}\``;
}

function invalidValue(variable: Variable<unknown>, text: string): string {
  const shown = variable.secret ? undefined : variable.kind.showInvalid(text);
  const value = shown === undefined ? ' (its value is not shown)' : `, not ${quote(shown)}`;
  return `${variable.name} must be ${variable.kind.allowed}${value}`;
}
