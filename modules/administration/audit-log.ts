import { byTime, columnsFor, equals, filter, list, since, sql, Type, UserId, until } from '@chowk/kit';
import { AuditEntry } from './schemas.ts';

const filterText = (description: string) => Type.String({ maxLength: 255, description });

export const auditLog = list({
  name: 'audit',
  row: AuditEntry,
  from: sql`module_bus_audit_log l`,
  alias: sql`l`,
  columns: columnsFor(AuditEntry, sql`l`),
  filters: {
    user_id: equals(UserId, sql`l.user_id`),
    module: equals(filterText('The calling module.'), sql`l.module`),
    is_internal: filter(
      Type.Boolean({ description: 'Whether a module made the call.' }),
      (isInternal) => sql`(l.module IS NOT NULL) = ${isInternal}`,
    ),
    action: equals(filterText('An action, such as `orders.update`.'), sql`l.action`),
    resource: equals(filterText('A kind of record, such as `orders`.'), sql`l.resource`),
    resource_id: equals(filterText('The id of a record.'), sql`l.resource_id`),
    transport: equals(AuditEntry.properties.transport, sql`l.transport`),
    outcome: equals(AuditEntry.properties.outcome, sql`l.outcome`),
    request_id: equals(filterText('The `X-Request-Id` of the response.'), sql`l.request_id`),
    from: since(sql`l.at`),
    to: until(sql`l.at`),
  },
  sorts: { at: byTime(sql`l.at`) },
});
