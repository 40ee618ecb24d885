import {
  type Actions,
  action,
  byTime,
  columnsFor,
  equals,
  list,
  Nullable,
  named,
  since,
  sql,
  Timestamp,
  Type,
  UserId,
  Uuid,
  until,
} from '@chowk/kit';

const Entry = named(
  'AuditEntry',
  Type.Object({
    id: Uuid,
    at: Timestamp,
    transport: Type.Enum(['rest', 'bus', 'graphql', 'job', 'command']),
    user_id: Nullable(Type.Integer({ description: 'Who did it; null where the platform acted by itself.' })),
    module: Nullable(Type.String({ description: 'The calling module; null for a call from outside.' })),
    action: Type.String({ examples: ['orders.update'] }),
    resource: Type.String({ examples: ['orders'] }),
    resource_id: Nullable(Type.String()),
    outcome: Type.Enum(['ok', 'refused', 'failed']),
    error_code: Nullable(Type.String()),
    request_id: Type.String(),
    duration_ms: Type.Number(),
    input: Type.Unknown({ description: 'What was sent; secrets and personal data are hidden.' }),
    changes: Type.Unknown({ description: 'By field, the value before and after, where the action records it.' }),
  }),
);

const short = (description: string) => Type.String({ maxLength: 255, description });

export const auditLog = list({
  name: 'audit',
  row: Entry,
  from: sql`module_bus_audit_log l`,
  alias: sql`l`,
  columns: columnsFor(Entry, sql`l`),
  updatedAt: sql`l.at`,
  filters: {
    user_id: equals(UserId, sql`l.user_id`),
    module: equals(short('The calling module.'), sql`l.module`),
    action: equals(short('An action, such as `orders.update`.'), sql`l.action`),
    resource: equals(short('What it is about, such as `orders`.'), sql`l.resource`),
    resource_id: equals(short('The id of what it is about.'), sql`l.resource_id`),
    transport: equals(Entry.properties.transport, sql`l.transport`),
    outcome: equals(Entry.properties.outcome, sql`l.outcome`),
    request_id: equals(short('The `X-Request-Id` of the answer.'), sql`l.request_id`),
    from: since(sql`l.at`),
    to: until(sql`l.at`),
  },
  sorts: { at: byTime(sql`l.at`) },
});

const tag = 'Audit';

export const auditActions: Actions = {
  'audit.list': action({
    summary: 'List the audit log',
    description: 'Every change in the tenant, by whatever transport, and every call over the bus; the newest first.',
    tag,
    http: 'GET /audit',
    needs: 'audit.view',
    ...auditLog.paged,
  }),
  'audit.export': action({
    summary: 'Export the audit log',
    tag,
    http: 'GET /audit/export',
    needs: 'audit.export',
    ...auditLog.exported,
  }),
};
