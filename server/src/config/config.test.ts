import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { type Config, ConfigError, describeConfig, documentedVariables, readConfig } from './config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const otherKey = Buffer.alloc(32, 8).toString('base64');
const repository = resolve(import.meta.dirname, '../../..');

interface Example {
  readonly key: Exclude<keyof Config, 'setVariables'>;
  /** The value if no variable is set. */
  readonly unset: unknown;
  readonly good: ReadonlyArray<readonly [text: string, value: unknown]>;
  readonly bad: readonly string[];
  /** Other variables that must be set with it. */
  readonly with?: Readonly<Record<string, string>>;
}

function integers(name: Example['key'], unset: number, min: number, max: number): Example {
  return {
    key: name,
    unset,
    good: [
      [String(min), min],
      [String(max), max],
    ],
    bad: [String(min - 1), String(max + 1), 'many', '1e3', '0x10', '8.5', '1_000', '١', '9'.repeat(30)],
  };
}

function booleans(name: Example['key'], unset: boolean): Example {
  const words = ['true', '1', 'on', 'yes', 'TRUE', 'false', '0', 'off', 'no', 'Off'];
  return {
    key: name,
    unset,
    good: words.map((word, index) => [word, index < 5]),
    bad: ['2', 'y', 'maybe', 'true false'],
  };
}

function tokens(name: Example['key'], atLeast: number): Example {
  return {
    key: name,
    unset: undefined,
    good: [['~'.repeat(atLeast), '~'.repeat(atLeast)]],
    bad: ['two words', 'línea-única', 'line\nbreak', ...(atLeast > 1 ? ['x'.repeat(atLeast - 1)] : [])],
  };
}

function paths(name: Example['key'], unset: unknown): Example {
  return {
    key: name,
    unset,
    good: [
      ['/srv/chowk', '/srv/chowk'],
      ['some/folder', resolve('some/folder')],
    ],
    bad: ['/srv/\0chowk', '/srv/a\nb', 'file:///srv/chowk'],
  };
}

function same(...texts: string[]): Example['good'] {
  return texts.map((text) => [text, text]);
}

const hostile = ['postgres', 'not a url', 'http://example.com', 'postgres:db', '//host/db', 'password=x host=y'];

const examples: Readonly<Record<string, Example>> = {
  APP_ENV: { key: 'appEnv', unset: 'local', good: same('local', 'testing', 'production'), bad: ['prod', 'staging'] },
  PORT: integers('port', 8080, 0, 65_535),
  HOST: {
    key: 'host',
    unset: '127.0.0.1',
    good: same('0.0.0.0', '::', '::1', 'localhost', 'db-1.internal'),
    bad: ['[::1]', '300.1.1.1', '1.2.3', 'localhost:80', 'http://localhost', 'fe80::1%eth0', 'a b'],
  },
  BASE_DOMAIN: {
    key: 'baseDomain',
    unset: 'localhost',
    good: same('localhost', 'chowk.example', 'xn--mnchen-3ya.example', 'a.1b'),
    bad: [
      'Chowk.example',
      'chowk.example:8080',
      'https://chowk.example',
      'chowk.example.',
      '.chowk.example',
      'a..b',
      '-a.example',
      'a_b.example',
      '127.0.0.1',
      '::1',
      'chowk.123',
      'chowk.0x1',
      'a'.repeat(64),
      `${'abcdefg.'.repeat(32)}example`,
    ],
  },
  APP_URL: {
    key: 'appUrl',
    unset: 'http://localhost:8080',
    good: [
      ['https://chowk.example', 'https://chowk.example'],
      ['https://chowk.example/', 'https://chowk.example'],
      ['HTTP://Chowk.example:80', 'http://chowk.example'],
      ['http://[::1]:8080', 'http://[::1]:8080'],
    ],
    bad: [
      'chowk.example',
      'ftp://chowk.example',
      'https://chowk.example/shop',
      'https://chowk.example?a=b',
      'https://chowk.example#a',
      'https://me:pw@chowk.example',
      'https://chowk.example:99999',
      'https:chowk.example',
      'https://',
    ],
  },
  STORAGE_PATH: paths('storagePath', resolve(repository, 'storage')),
  APP_KEY: {
    key: 'appKey',
    unset: undefined,
    good: same(key),
    bad: ['secret', key.slice(0, -1), `${key.slice(0, -2)}d=`, Buffer.alloc(31).toString('base64'), 'ab'.repeat(32)],
  },
  APP_PREVIOUS_KEY: {
    key: 'appPreviousKey',
    unset: undefined,
    good: same(key),
    bad: ['secret', key.slice(0, -1), `${key.slice(0, -2)}d=`, Buffer.alloc(31).toString('base64'), 'ab'.repeat(32)],
  },
  APP_PREVIOUS_KEYS: {
    key: 'appPreviousKeys',
    unset: [],
    good: [
      [key, [key]],
      [`${key}, ${otherKey}`, [key, otherKey]],
    ],
    bad: ['secret', `${key} ${otherKey}`, `${key},secret`, ','],
  },
  INSTALL_TOKEN: tokens('installToken', 8),
  LOG_LEVEL: {
    key: 'logLevel',
    unset: 'info',
    good: [...same('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), ['WARN', 'warn']],
    bad: ['verbose', '30', 'off'],
  },
  DATABASE_URL: {
    key: 'databaseUrl',
    unset: undefined,
    good: same(
      'postgres://db/chowk',
      'postgresql://me:p%40ss@db.example:5433/chowk?sslmode=require',
      'postgres://me@[::1]/chowk',
      'postgres:///chowk?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/chowk',
    ),
    bad: [
      ...hostile,
      'mysql://db/chowk',
      'postgres://db',
      'postgres://db/',
      'postgres://db/a/b',
      'postgres:///chowk',
      'postgres://db/chowk#main',
      'postgres://me:p/w@db/chowk',
      'postgres://me:1/2@db/chowk',
      'postgres://me:?2@db/chowk',
      'postgres://me:1#2@db/chowk',
      'postgres://me:100%@db/chowk',
      'postgres://me:p w@db/chowk',
    ],
  },
  DATABASE_SERVERS: {
    key: 'databaseServers',
    unset: [],
    good: [
      ['east=postgres://db', [{ name: 'east', url: 'postgres://db', weight: 1 }]],
      [
        'east=postgres://me:p%40ss@db:5433/admin?weight=2&sslmode=require, west-2=postgresql://?host=/run&weight=0',
        [
          { name: 'east', url: 'postgres://me:p%40ss@db:5433/admin?sslmode=require', weight: 2 },
          { name: 'west-2', url: 'postgresql://?host=%2Frun', weight: 0 },
        ],
      ],
    ],
    bad: [
      ...hostile,
      'postgres://db',
      'main=postgres://db',
      'East=postgres://db',
      'east=mysql://db',
      'east=postgres://',
      'east=postgres://db?weight=-1',
      'east=postgres://db?weight=many',
      'east=postgres://a,east=postgres://b',
      'east=postgres://me:1,2@db',
      'east=postgres://me:p/w@db',
    ],
  },
  DATABASE_MAIN_WEIGHT: { ...integers('databaseMainWeight', 1, 1, 1000), bad: ['0', '1001', 'x'] },
  DATABASE_CONNECTIONS: integers('databaseConnections', 50, 4, 1000),
  DATABASE_CONNECTIONS_PER_TENANT: { ...integers('databaseConnectionsPerTenant', 10, 1, 50), bad: ['0', '51', 'x'] },
  DATABASE_CONNECT_TIMEOUT_MS: integers('databaseConnectTimeoutMs', 5000, 1, 600_000),
  DATABASE_QUERY_TIMEOUT_MS: integers('databaseQueryTimeoutMs', 30_000, 1, 3_600_000),
  DATABASE_WAIT_TIMEOUT_MS: integers('databaseWaitTimeoutMs', 5000, 1, 600_000),
  SLOW_QUERY_MS: integers('slowQueryMs', 1000, 0, 3_600_000),
  SLOW_REQUEST_MS: integers('slowRequestMs', 3000, 0, 3_600_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    key: 'otelExporterOtlpEndpoint',
    unset: undefined,
    good: same('http://localhost:4318', 'https://traces.example/otlp'),
    bad: ['localhost:4318', 'grpc://localhost:4317', 'traces.example'],
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    key: 'otelExporterOtlpHeaders',
    unset: undefined,
    good: [
      ['authorization=Bearer%20abc', { authorization: 'Bearer abc' }],
      ['api-key=a=b, X-Team=shop', { 'api-key': 'a=b', 'X-Team': 'shop' }],
    ],
    bad: ['authorization', '=abc', 'authorization=', 'a b=c', 'key=50%', 'key=%0d%0aother:%201', 'key=%C3%A9'],
  },
  TRACE_PERCENT: integers('tracePercent', 10, 0, 100),
  DATABASE_COPY_STRATEGY: {
    key: 'databaseCopyStrategy',
    unset: 'wal_log',
    good: same('wal_log', 'file_copy'),
    bad: ['clone', 'copy'],
  },
  SPARE_DATABASES: integers('spareDatabases', 10, 0, 50),
  MIGRATE_ON_START: booleans('migrateOnStart', true),
  REDIS_URL: {
    key: 'redisUrl',
    unset: undefined,
    good: same('redis://cache', 'rediss://:pw@cache:6380/1'),
    bad: [...hostile, 'redis://', 'redis:///1', 'memcached://cache'],
  },
  MAIL_URL: {
    key: 'mailUrl',
    unset: undefined,
    good: same('smtp://mail:25', 'smtps://me%40chowk.example:pw@mail.example:465'),
    bad: [...hostile, 'smtp://', 'smtp://me@chowk.example:p/w@mail.example'],
  },
  MAIL_FROM: {
    key: 'mailFrom',
    unset: 'Chowk <no-reply@localhost>',
    good: [
      ['shop@example.com', 'shop@example.com'],
      ['Ashas Laden <shop@example.com>', 'Ashas Laden <shop@example.com>'],
    ],
    bad: ['shop', 'shop@', 'a@b.c, d@e.f', 'Shop <a@b.c', 'Shop\r\nBcc: x <a@b.c>'],
  },
  INBOUND_SMTP_PORT: {
    key: 'inboundSmtpPort',
    unset: undefined,
    good: [
      ['25', 25],
      ['0', 0],
    ],
    bad: ['-1', '65536', 'smtp', '25.0'],
  },
  INBOUND_SMTP_HOST: {
    key: 'inboundSmtpHost',
    unset: '127.0.0.1',
    good: same('0.0.0.0', '::'),
    bad: ['[::1]', 'localhost:25', 'a b'],
  },
  INBOUND_MAIL_DOMAIN: {
    key: 'inboundMailDomain',
    unset: 'localhost',
    good: same('in.example.com'),
    bad: ['shop@in.example.com', 'in.example.com.', '127.0.0.1'],
  },
  INBOUND_SMTP_KEY: paths('inboundSmtpKey', undefined),
  INBOUND_SMTP_CERTIFICATE: paths('inboundSmtpCertificate', undefined),
  FCM_CREDENTIALS: paths('fcmCredentials', undefined),
  FCM_URL: {
    key: 'fcmUrl',
    unset: 'https://fcm.googleapis.com',
    good: same('https://push.example', 'http://proxy.internal:8080/fcm'),
    bad: ['push.example', 'ftp://push.example', 'https://token@push.example'],
  },
  OBJECT_STORAGE_URL: {
    key: 'objectStorageUrl',
    unset: undefined,
    good: same('s3://key:a%2Fb@s3.example/files?region=eu-1', 's3://key:b@127.0.0.1:9000/files/?tls=false'),
    bad: [
      ...hostile,
      's3://',
      's3://files',
      's3://s3.example/files',
      's3://key@s3.example/files',
      's3://key:a/b@s3.example/files',
      's3://key:b@s3.example',
      's3://key:b@s3.example/files/folder',
      's3://key:b@s3.example/files?tls=no',
      's3://key:b@s3.example/files?regoin=eu-1',
      's3://key:b@s3.example/..',
    ],
  },
  BACKUP_PATH: { ...paths('backupPath', undefined), with: { BACKUP_KEY: 'x'.repeat(16) } },
  BACKUP_STORAGE_URL: {
    key: 'backupStorageUrl',
    unset: undefined,
    good: same('s3://key:a%2Fb@s3.example/backups'),
    bad: ['s3://', 's3://s3.example/files'],
    with: { BACKUP_KEY: 'x'.repeat(16) },
  },
  BACKUP_KEY: tokens('backupKey', 16),
  BACKUP_KEEP: integers('backupKeep', 14, 1, 10_000),
  RING_NAME: {
    key: 'ringName',
    unset: 'stable',
    good: same('stable', 'edge-2', '1', 'a'.repeat(31)),
    bad: ['-edge', 'Edge', 'a b', 'a/b', '../edge', 'a'.repeat(32)],
  },
  MODULE_LOCK_PATH: paths('moduleLockPath', undefined),
  MODULES_PATH: paths('modulesPath', resolve(repository, 'storage/modules')),
  MODULE_REGISTRY_URL: {
    key: 'moduleRegistryUrl',
    unset: undefined,
    good: same('https://gitlab.example/api/v4/projects/12/packages/generic', 'http://127.0.0.1:8090'),
    bad: ['gitlab.example', 'ftp://gitlab.example', 'https://token@gitlab.example'],
  },
  MODULE_REGISTRY_TOKEN: {
    key: 'moduleRegistryToken',
    unset: undefined,
    good: same('glpat-a'),
    bad: ['two words', 'ä'],
  },
  MODULE_REGISTRY_PATH: paths('moduleRegistryPath', resolve(repository, 'storage/module-registry')),
  MODULE_SIGNING_KEYS: {
    key: 'moduleSigningKeys',
    unset: [],
    good: [
      [key, [key]],
      [`${key}, ${key}`, [key, key]],
    ],
    bad: ['secret', `${key},secret`, Buffer.alloc(31).toString('base64')],
  },
  MODULE_HOOK_TIMEOUT_SECONDS: integers('moduleHookTimeoutSeconds', 300, 1, 86_400),
  RING_URLS: {
    key: 'ringUrls',
    unset: {},
    good: [
      ['edge=http://10.0.0.7:8080', { edge: 'http://10.0.0.7:8080' }],
      ['edge=http://a:1, canary=https://b/', { edge: 'http://a:1', canary: 'https://b' }],
    ],
    bad: ['http://10.0.0.7:8080', 'Edge=http://a', 'edge=a', 'edge=http://a,edge=http://b', 'edge='],
  },
  PLATFORM_SIGNUP: booleans('platformSignup', true),
  EMAIL_VERIFICATION_SIGNED_ONLY: booleans('emailVerificationSignedOnly', false),
  GRAPHQL_INTROSPECTION: booleans('graphqlIntrospection', true),
  GRAPHQL_PLAYGROUND: booleans('graphqlPlayground', true),
  GRAPHQL_SCHEMA_CACHE_TTL: integers('graphqlSchemaCacheTtl', 86_400, 60, 2_592_000),
  TRUSTED_PROXIES: {
    key: 'trustedProxies',
    unset: [],
    good: [
      ['loopback', ['loopback']],
      ['10.0.0.1, 10.1.0.0/16,,fd00::/8 ,::1', ['10.0.0.1', '10.1.0.0/16', 'fd00::/8', '::1']],
      ['linklocal,uniquelocal', ['linklocal', 'uniquelocal']],
    ],
    bad: [
      '*',
      'true',
      '1',
      'proxy.example',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.1 10.0.0.2',
    ],
  },
  CORS_ORIGINS: {
    key: 'corsOrigins',
    unset: '*',
    good: [
      ['*', '*'],
      ['https://a.example, http://localhost:3000/', ['https://a.example', 'http://localhost:3000']],
    ],
    bad: ['a.example', 'https://*.example', '*,https://a.example', 'https://a.example/x', 'null', ',', 'file://x'],
  },
  OUTBOUND_ALLOW_HOSTS: {
    key: 'outboundAllowHosts',
    unset: [],
    good: [
      ['gitlab.internal, 127.0.0.1:9000', ['gitlab.internal', '127.0.0.1:9000']],
      ['GitLab.internal:8443,[::1]:80', ['gitlab.internal:8443', '[::1]:80']],
    ],
    bad: ['https://a.example', '*', '::1', '[::1', 'a.example:', 'a.example:0', 'a b', '127.1', ',', 'a.example/x'],
  },
  TWILIO_URL: {
    key: 'twilioUrl',
    unset: 'https://api.twilio.com',
    good: [['http://twilio-proxy.internal:8080', 'http://twilio-proxy.internal:8080']],
    bad: ['api.twilio.com', 'https://user:pass@api.twilio.com', 'https://api.twilio.com/2010-04-01'],
  },
  STRIPE_URL: {
    key: 'stripeUrl',
    unset: 'https://api.stripe.com',
    good: [['http://stripe-proxy.internal:8080', 'http://stripe-proxy.internal:8080']],
    bad: ['api.stripe.com', 'https://user:pass@api.stripe.com', 'https://api.stripe.com/v1'],
  },
  RAZORPAY_URL: {
    key: 'razorpayUrl',
    unset: 'https://api.razorpay.com',
    good: [['http://razorpay-proxy.internal:8080', 'http://razorpay-proxy.internal:8080']],
    bad: ['api.razorpay.com', 'https://user:pass@api.razorpay.com', 'https://api.razorpay.com/v1'],
  },
  MESSAGES_PER_DAY: integers('messagesPerDay', 200, 0, 1_000_000),
  RATE_LIMIT_PER_MINUTE: integers('rateLimitPerMinute', 3000, 0, 10_000_000),
  GRAPHQL_COST_PER_MINUTE: integers('graphqlCostPerMinute', 100_000, 0, 1_000_000_000),
  SOCKETS_PER_NETWORK: integers('socketsPerNetwork', 1000, 1, 10_000_000),
  LOGIN_FAILURES_PER_MINUTE: integers('loginFailuresPerMinute', 10, 1, 10_000),
  RESENDS_PER_MINUTE: integers('resendsPerMinute', 3, 1, 1_000),
  APPLICATIONS_PER_MINUTE: integers('applicationsPerMinute', 10, 1, 10_000),
  BCRYPT_COST: integers('bcryptCost', 12, 4, 16),
  BODY_LIMIT_BYTES: integers('bodyLimitBytes', 1_048_576, 1024, 1_073_741_824),
  METRICS_TOKEN: tokens('metricsToken', 8),
  SHUTDOWN_SECONDS: integers('shutdownSeconds', 25, 1, 300),
  CLI_RELEASES_DEFAULT_ADAPTER: {
    key: 'cliReleasesDefaultAdapter',
    unset: 'gitlab',
    good: same('gitlab', 'static'),
    bad: ['s3', 'github'],
  },
  CLI_RELEASES_GITLAB_PROJECT: {
    key: 'cliReleasesGitlabProject',
    unset: undefined,
    good: same('42', 'chowk/cli', 'a.b/c_d/e-f'),
    bad: ['/chowk', 'chowk/', 'a b', 'https://gitlab.com/chowk/cli'],
  },
  CLI_RELEASES_GITLAB_API_URL: {
    key: 'cliReleasesGitlabApiUrl',
    unset: 'https://gitlab.com/api/v4',
    good: same('https://git.example/api/v4', 'http://git.internal:8080/api/v4'),
    bad: ['git.example', 'ssh://git.example', 'https://token@git.example/api/v4'],
  },
  CLI_RELEASES_GITLAB_TOKEN: tokens('cliReleasesGitlabToken', 1),
  CLI_RELEASES_STATIC_MANIFEST_URL: {
    key: 'cliReleasesStaticManifestUrl',
    unset: undefined,
    good: same('https://get.example/manifest.json', 'https://get.example/m?sig=abc'),
    bad: ['get.example', 'file:///etc/passwd', 'https://me:pw@get.example/manifest.json'],
  },
};

const names = documentedVariables().map(({ name }) => name);
const secretNames = documentedVariables()
  .filter(({ secret }) => secret)
  .map(({ name }) => name);
const connectionUrlNames = ['DATABASE_URL', 'DATABASE_SERVERS', 'REDIS_URL', 'MAIL_URL', 'OBJECT_STORAGE_URL'];

function problem(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return expect.unreachable(`accepted ${JSON.stringify(env)}`);
}

function described(env: Record<string, string>, name: string) {
  return describeConfig(readConfig(env)).find((variable) => variable.name === name);
}

/** The output that an operator can see for an environment. */
function readable(env: Record<string, string>): string {
  try {
    return JSON.stringify(describeConfig(readConfig(env)));
  } catch (error) {
    return String(error);
  }
}

test('every variable has examples in this file', () => {
  expect(Object.keys(examples)).toEqual(names);
});

test.each(Object.entries(examples))('%s is parsed, and has its default when unset', (name, example) => {
  expect(readConfig({})[example.key]).toEqual(example.unset);
  for (const [text, value] of example.good) {
    expect(readConfig({ ...example.with, [name]: text })[example.key], text).toEqual(value);
    expect(readConfig({ ...example.with, [name]: ` \t${text}\n` })[example.key], `padded ${text}`).toEqual(value);
  }
});

test.each(Object.entries(examples))('%s refuses invalid values in one line with its name', (name, example) => {
  for (const text of example.bad) {
    const message = problem({ [name]: text });
    expect(message, text).toMatch(new RegExp(`^${name} must be `));
    expect(message, text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(message, text).not.toContain('; ');
  }
});

test.each(Object.entries(examples))('the key of %s matches its name in the environment', (name, { key }) => {
  expect(key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()).toBe(name);
});

test('an empty or blank value counts as unset', () => {
  const blank = Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? '' : ' \n']));
  expect(readConfig(blank)).toEqual(readConfig({}));
});

test('the error for an invalid value says what is allowed', () => {
  expect(problem({ PORT: '80a' })).toBe('PORT must be an integer from 0 to 65535, not "80a"');
  expect(problem({ APP_ENV: 'prod' })).toBe('APP_ENV must be local, testing or production, not "prod"');
  expect(problem({ INSTALL_TOKEN: 'short' })).toBe(
    'INSTALL_TOKEN must be at least 8 visible ASCII characters without spaces (its value is not shown)',
  );
  expect(problem({ DATABASE_URL: 'mysql://me:pw@db/chowk' })).toBe(
    'DATABASE_URL must be a URL that starts with postgres:// or postgresql:// and names a database, ' +
      'with a percent-encoded password, not "mysql://me:••••@db/chowk"',
  );
});

test('several invalid values are reported together', () => {
  expect(problem({ PORT: 'x', LOG_LEVEL: 'loud', SPARE_DATABASES: '51' }).split('; ')).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('LOG_LEVEL'),
    expect.stringContaining('SPARE_DATABASES'),
  ]);
});

test('the error for any invalid value is one short line', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.webUrl());
  fc.assert(
    fc.property(fc.constantFrom(...names), anything, (name, text) => {
      const shown = readable({ [name]: text });
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      if (shown.startsWith('ConfigError')) expect(shown.length).toBeLessThan(350);
    }),
    { numRuns: 1000 },
  );
});

test('secrets are never shown, whether they are valid or not', () => {
  const secret = fc.string({ minLength: 8, maxLength: 60 }).filter((text) => text.trim().length >= 8);
  fc.assert(
    fc.property(fc.constantFrom(...secretNames), secret, fc.boolean(), (name, text, isInvalid) => {
      expect(readable({ [name]: text, ...(isInvalid && { PORT: 'x' }) })).not.toContain(text.trim());
    }),
    { numRuns: 1000 },
  );
  expect(readable({ APP_KEY: key })).not.toContain(key);
});

test('passwords in URLs are never shown, whatever their encoding', () => {
  const character = fc.oneof(fc.constantFrom(...'/?#@:%&=\\, 1'), fc.string({ minLength: 1, maxLength: 1 }));
  const noise = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
  const scheme = fc.constantFrom('postgres', 'redis', 'smtp', 's3', 'https', 'mysql');
  fc.assert(
    fc.property(fc.constantFrom(...names), scheme, noise, noise, (name, scheme, before, after) => {
      const password = `${before}Hunter2${after}`;
      for (const text of [password, encodeURIComponent(password)]) {
        const shown = readable({ [name]: `${scheme}://me:${text}@host:99/name?password=${encodeURIComponent(text)}` });
        expect(shown.toLowerCase()).not.toContain('hunter2');
        const servers = readable({ DATABASE_SERVERS: `east=${scheme}://me:${text}@host:99?password=${text}` });
        expect(servers.toLowerCase()).not.toContain('hunter2');
      }
    }),
    { numRuns: 5000 },
  );
});

test('an invalid URL that may contain a password is not shown', () => {
  for (const name of connectionUrlNames) {
    for (const text of [
      'host=db password=hunter2',
      'me:hunter2@db/chowk',
      'postgres//me:hunter2@db',
      'redis:hunter2',
    ]) {
      expect(problem({ [name]: text })).not.toContain('hunter2');
    }
  }
});

test('the configuration and its lists are frozen', () => {
  const config = readConfig({ TRUSTED_PROXIES: 'loopback', CORS_ORIGINS: 'https://a.example' });
  for (const record of [
    config,
    config.setVariables,
    config.trustedProxies,
    config.corsOrigins,
    readConfig({}).trustedProxies,
  ]) {
    expect(Object.isFrozen(record)).toBe(true);
  }
});

test('production listens on all addresses and has stricter defaults', () => {
  const readDefaults = (APP_ENV: string) => {
    const config = readConfig({ APP_ENV });
    const { host, graphqlIntrospection, emailVerificationSignedOnly, migrateOnStart } = config;
    return { host, graphqlIntrospection, emailVerificationSignedOnly, migrateOnStart };
  };
  const defaults = {
    host: '127.0.0.1',
    graphqlIntrospection: true,
    emailVerificationSignedOnly: false,
    migrateOnStart: true,
  };
  expect(readDefaults('local')).toEqual(defaults);
  expect(readDefaults('testing')).toEqual(defaults);
  expect(readDefaults('production')).toEqual({
    host: '0.0.0.0',
    graphqlIntrospection: false,
    emailVerificationSignedOnly: true,
    migrateOnStart: false,
  });
  expect(readConfig({ APP_ENV: 'production', GRAPHQL_INTROSPECTION: 'true' }).graphqlIntrospection).toBe(true);
});

test('production requires signed verification links', () => {
  expect(problem({ APP_ENV: 'production', EMAIL_VERIFICATION_SIGNED_ONLY: 'off' })).toMatch(
    /^EMAIL_VERIFICATION_SIGNED_ONLY must be true in production/,
  );
});

test('the default APP_URL is derived from BASE_DOMAIN and PORT', () => {
  expect(readConfig({ BASE_DOMAIN: 'chowk.example', PORT: '9000' }).appUrl).toBe('http://chowk.example:9000');
  expect(readConfig({ BASE_DOMAIN: 'chowk.example', PORT: '80' }).appUrl).toBe('http://chowk.example');
});

test('a tenant cannot have more connections than the process', () => {
  expect(readConfig({ DATABASE_CONNECTIONS: '4' }).databaseConnectionsPerTenant).toBe(4);
  expect(readConfig({ DATABASE_CONNECTIONS: '60', DATABASE_CONNECTIONS_PER_TENANT: '60' })).toBeTruthy();
  expect(problem({ DATABASE_CONNECTIONS: '8', DATABASE_CONNECTIONS_PER_TENANT: '9' })).toBe(
    'DATABASE_CONNECTIONS_PER_TENANT must be at most DATABASE_CONNECTIONS (8), not "9"',
  );
  expect(problem({ DATABASE_CONNECTIONS: '8O', DATABASE_CONNECTIONS_PER_TENANT: '60' })).not.toContain('PER_TENANT');
});

test('backups need a key and one place', () => {
  const [BACKUP_PATH, BACKUP_KEY] = ['/srv/backups', 'x'.repeat(16)];
  expect(problem({ BACKUP_PATH })).toBe('BACKUP_KEY must be set for backups');
  expect(problem({ BACKUP_PATH, BACKUP_KEY, BACKUP_STORAGE_URL: 's3://key:b@s3.example/backups' })).toBe(
    'BACKUP_PATH and BACKUP_STORAGE_URL must not both be set',
  );
});

test('the default storage folder does not depend on the current folder', () => {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue('/elsewhere');
  const [unset, relative] = [readConfig({}), readConfig({ STORAGE_PATH: 'data' })];
  cwd.mockRestore();
  expect(unset.storagePath).toBe(resolve(repository, 'storage'));
  expect(relative.storagePath).toBe('/elsewhere/data');
});

test('the description has each value and its source', () => {
  expect(described({}, 'PORT')).toMatchObject({ value: '8080', source: 'default' });
  expect(described({ PORT: '8080' }, 'PORT')).toMatchObject({ value: '8080', source: 'environment' });
  expect(described({}, 'DATABASE_URL')).toMatchObject({ value: '(unset)', source: 'default' });
  expect(described({}, 'INSTALL_TOKEN')).toMatchObject({ value: '(unset)', source: 'default' });
  expect(described({ INSTALL_TOKEN: 'let-me-in' }, 'INSTALL_TOKEN')).toMatchObject({ value: '••••' });
  expect(described({}, 'APP_URL')).toMatchObject({ value: 'http://localhost:8080' });
  expect(described({}, 'TRUSTED_PROXIES')).toMatchObject({ value: '(none)' });
  expect(described({ TRUSTED_PROXIES: '::1,loopback' }, 'TRUSTED_PROXIES')).toMatchObject({ value: '::1, loopback' });
  expect(described({ PLATFORM_SIGNUP: 'off' }, 'PLATFORM_SIGNUP')).toMatchObject({ value: 'false' });
  expect(describeConfig(readConfig({})).map(({ name }) => name)).toEqual(names);
});

test.each([
  ['REDIS_URL', 'redis://:pw@h', 'redis://:••••@h'],
  ['REDIS_URL', 'redis://pw@h:6379/1', 'redis://••••@h:6379/1'],
  ['DATABASE_URL', 'postgres://me:p%40ss@db:5433/chowk?a=b', 'postgres://me:••••@db:5433/chowk?a=b'],
  ['DATABASE_URL', 'postgres://db/chowk?user=me&p%61ssword=pw', 'postgres://db/chowk?user=me&p%61ssword=••••'],
  ['DATABASE_URL', 'postgres:///chowk?host=/run', 'postgres:///chowk?host=/run'],
  ['DATABASE_SERVERS', 'east=postgres://me:pw@db?weight=2', 'east=postgres://me:••••@db (weight 2)'],
  [
    'CLI_RELEASES_STATIC_MANIFEST_URL',
    'https://a.example/m?X-Amz-Signature=1',
    'https://a.example/m?X-Amz-Signature=••••',
  ],
])('%s %s is described as %s', (name, text, value) => {
  expect(described({ [name]: text }, name)).toMatchObject({ value });
});

test('the types of the configuration match its values', () => {
  expectTypeOf<Config['port']>().toEqualTypeOf<number>();
  expectTypeOf<Config['databaseUrl']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Config['appEnv']>().toEqualTypeOf<'local' | 'testing' | 'production'>();
  expectTypeOf<Config['migrateOnStart']>().toEqualTypeOf<boolean>();
  expectTypeOf<Config['corsOrigins']>().toEqualTypeOf<'*' | readonly string[]>();
});

test('the server main may be left out of new tenants only if another server takes them', () => {
  expect(problem({ DATABASE_MAIN_WEIGHT: '0' })).toMatch(/^DATABASE_MAIN_WEIGHT must be at least 1/);
  expect(problem({ DATABASE_MAIN_WEIGHT: '0', DATABASE_SERVERS: 'east=postgres://db?weight=0' })).toMatch(/at least 1/);
  expect(readConfig({ DATABASE_MAIN_WEIGHT: '0', DATABASE_SERVERS: 'east=postgres://db' }).databaseMainWeight).toBe(0);
});
