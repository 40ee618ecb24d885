import { Line, NamedObject, Nullable, type Static, Timestamp, Type } from '@chowk/kit';

const Names = (description: string) => Type.Array(Type.String(), { description });

export const TenantModule = NamedObject('TenantModule', {
  alias: Type.String({ examples: ['orders'] }),
  name: Type.String({ examples: ['Orders'] }),
  version: Type.String({ examples: ['1.0.0'], description: "The version on the tenant's ring." }),
  description: Type.String(),
  is_enabled: Type.Boolean(),
  is_system: Type.Boolean({ description: 'Part of the platform: it cannot be disabled.' }),
  is_installed: Type.Boolean({ description: 'Whether the tenant has or had it.' }),
  requires: Names('The modules that it cannot work without.'),
  used_by: Names('The enabled modules that cannot work without it.'),
  provides: Type.Object(
    {
      actions: Type.Integer({ description: 'The number of its actions.' }),
      listeners: Type.Integer({ description: 'The number of its listeners to events.' }),
      graphql_fields: Names('Its GraphQL queries, mutations and subscriptions.'),
      permissions: Names('Its permissions.'),
      settings: Names('The keys of its settings.'),
    },
    { description: 'What the tenant does not have while the module is disabled. Its data stays.' },
  ),
});
export type TenantModule = Static<typeof TenantModule>;

export const ByAlias = Type.Object({ alias: Line(50, { description: 'The alias of a module.' }) });

const RingName = Line(63, { description: 'The name of a ring.' });

export const Ring = NamedObject('Ring', {
  id: Type.Integer(),
  name: Type.String({ examples: ['edge'] }),
  display_name: Type.String(),
  description: Type.String(),
  manifest_path: Type.String({ description: 'The lock file of the ring.' }),
  k8s_namespace: Type.String(),
  k8s_service: Type.String(),
  hostname_segment: Type.String({ description: 'The label of the ring in host names.' }),
  promotion_order: Type.Integer({ description: '0 is the most conservative.' }),
  is_active: Type.Boolean({ description: 'Whether tenants can be assigned to it.' }),
  is_default: Type.Boolean({ description: 'Whether new tenants run in this ring.' }),
  platform_version: Nullable(
    Type.String({ description: 'The version of the platform that serves the ring; null until a process has started.' }),
  ),
  tenants: Type.Integer({ description: 'The number of its tenants.' }),
  modules: Nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'The version of each module, by alias; null if the process that answers cannot read the lock file.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Ring = Static<typeof Ring>;

export const ByName = Type.Object({ name: RingName });

export const Assignment = NamedObject('RingAssignment', {
  name: RingName,
  tenant_id: Line(63, { description: 'The id of the tenant.' }),
  reason: Type.Optional(Line(500, { description: 'Kept in the history.' })),
});
export type Assignment = Static<typeof Assignment>;

export const RingOperation = NamedObject('RingOperation', {
  id: Type.Integer(),
  at: Timestamp,
  operator: Type.String({ description: 'A user, or the account of the operating system that ran a command.' }),
  operation: Type.String({ examples: ['assign', 'promote'] }),
  ring: Type.String(),
  tenant_id: Nullable(Type.String()),
  alias: Nullable(Type.String({ description: 'The module.' })),
  from_value: Nullable(Type.String({ description: 'The ring of the tenant, or the version of the module, before.' })),
  to_value: Nullable(Type.String({ description: 'The ring of the tenant, or the version of the module, after.' })),
  status: Type.Enum(['done', 'failed']),
  forced: Type.Boolean(),
  reason: Nullable(Type.String()),
  details: Type.Unknown({ description: 'What the operation changed, if it records that.' }),
});
