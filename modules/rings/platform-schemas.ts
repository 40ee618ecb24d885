import { Line, NamedObject, Nullable, type Static, Timestamp, Type } from '@chowk/kit';

const TenantId = Line(63, { description: 'The id of a tenant.', examples: ['acme'] });

export const PlatformTenant = NamedObject('PlatformTenant', {
  id: Type.String({ examples: ['acme'] }),
  name: Type.String(),
  role: Type.Enum(['platform_owner', 'reseller', 'merchant']),
  status: Type.Enum(['creating', 'importing', 'active', 'suspended', 'deleting']),
  suspension_reason: Nullable(Type.String()),
  ring: Type.String({ examples: ['stable'] }),
  database_server: Type.String({ examples: ['main'] }),
  domains: Type.Array(Type.String()),
  move: Nullable(
    Type.Object(
      {
        server: Type.String({ description: 'The database server that it moves to.' }),
        step: Type.Enum(['copying', 'paused', 'switched', 'undoing'], {
          description: 'The tenant can be used except while it is `paused`, which takes seconds.',
        }),
      },
      { description: 'Present while the tenant moves to another database server.' },
    ),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type PlatformTenant = Static<typeof PlatformTenant>;

export const ByTenant = Type.Object({ id: TenantId });
export const Suspension = Type.Object({
  id: TenantId,
  reason: Type.Optional(Line(500, { description: 'Shown to operators.', examples: ['Unpaid since March'] })),
});
export const Move = Type.Object({
  id: TenantId,
  server: Line(63, { description: 'The database server that it moves to.', examples: ['second'] }),
});
export const Clone = Type.Object({
  id: TenantId,
  new_id: Line(63, { description: 'The id of the copy.', examples: ['acme-test'] }),
});

export const PromotionRequest = NamedObject('PromotionRequest', {
  name: Line(63, { description: 'The ring that gets the version.' }),
  alias: Line(50, { description: 'The module.', examples: ['orders'] }),
  from: Type.Optional(Line(63, { description: 'The ring whose version is taken over.', examples: ['edge'] })),
  version: Type.Optional(
    Line(50, {
      description: 'The version to promote, one that is installed. Either `from` or `version` is required.',
      examples: ['1.2.0'],
    }),
  ),
  soak: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,5}[mhd]$',
      description: 'How long the version must have served the ring `from`, at most 90 days.',
      examples: ['48h'],
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Returns the difference and changes nothing.' })),
  force: Type.Optional(Type.Boolean({ description: 'Promotes although something breaks.' })),
  reason: Type.Optional(Line(500, { description: 'Kept in the history.' })),
});
export type PromotionRequest = Static<typeof PromotionRequest>;

const Names = Type.Array(Type.String());
const Difference = NamedObject('PromotionDifference', {
  gained: Names,
  changed: Type.Array(
    Type.Object({
      name: Type.String(),
      problem: Nullable(Type.String({ description: 'Why it is not compatible; null if it is.' })),
    }),
  ),
  lost: Names,
});

export const Promotion = NamedObject('Promotion', {
  alias: Type.String({ examples: ['orders'] }),
  ring: Type.String({ examples: ['stable'] }),
  from_version: Nullable(Type.String({ description: 'Null if the ring does not have the module.' })),
  to_version: Type.String({ examples: ['1.2.0'] }),
  changed: Type.Boolean({ description: 'Whether the lock file of the ring was changed.' }),
  migrations: Type.Array(Type.String(), { description: 'Migrations that only the new version has.' }),
  operations: Difference,
  permissions: Difference,
  settings: Difference,
  events: Difference,
  graphql: Type.Array(Type.Object({ severity: Type.String(), kind: Type.String(), description: Type.String() })),
  refusals: Type.Array(Type.String(), { description: 'What it would break.' }),
});
export type Promotion = Static<typeof Promotion>;

export const PlatformJob = NamedObject('PlatformJob', {
  id: Type.String(),
  ring: Nullable(Type.String()),
  queue: Type.String(),
  job: Type.String({ examples: ['webhooks.deliver'] }),
  tenant: Type.String({ description: 'Empty for a job of the platform.' }),
  state: Type.String({ description: '`created`, `active`, `retry`, or `failed` after the last attempt.' }),
  tries: Type.Integer(),
  error: Nullable(Type.String()),
  created_at: Timestamp,
});
export const Jobs = Type.Object({
  jobs: Type.Array(PlatformJob, { description: 'At most 500: failed ones first, then those that run.' }),
  total: Type.Integer(),
});

export const DatabaseServer = NamedObject('DatabaseServer', {
  name: Type.String({ examples: ['main'] }),
  status: Type.String({ description: '`up` or `down`.' }),
  weight: Type.Integer({ description: 'Its share of new tenants; 0 is none.' }),
  tenants: Type.Integer(),
});
export type DatabaseServer = Static<typeof DatabaseServer>;

export const Figures = NamedObject('PlatformFigures', {
  seconds: Type.Integer({ description: 'The time between two samples.' }),
  samples: Type.Array(
    NamedObject('PlatformFigureSample', {
      at: Timestamp,
      requests: Type.Integer({ description: 'Requests since the sample before.' }),
      errors: Type.Integer({ description: 'Responses with status 500 or above.' }),
      duration_ms: Type.Number({ description: 'The mean duration of the requests.' }),
      delay_ms: Type.Number({ description: 'The longest time in which the process could do nothing else.' }),
      memory_bytes: Type.Integer(),
      busy_connections: Type.Integer({ description: 'Database connections in use.' }),
      waiting: Type.Integer({ description: 'Callers that wait for a database connection.' }),
      sockets: Type.Integer({ description: 'Open realtime connections.' }),
    }),
  ),
});
