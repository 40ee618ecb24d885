import { byTime, equals, filter, Line, list, type Sql, sql, Type } from '@chowk/kit';
import { selectTotal } from './counts.ts';
import { columns } from './notifications.ts';
import { Notification } from './schemas.ts';
import { readTime } from './send.ts';

/** No transaction lasts longer. */
const longestTransaction = '1 day';

/**
 * By the time in the id, because the row itself may have been sent again or deleted since. A transaction that had not
 * committed when the row was sent may commit later than the client saw the row, whatever its time is.
 */
export function isAfter(id: string): Sql {
  const time = sql`${readTime(id)}::timestamptz`;
  const known = (column: Sql) => sql`(SELECT ${column} FROM notifications WHERE id = ${id})`;
  return sql`n.created_at > ${time} - ${longestTransaction}::interval
    AND ((n.created_at, n.id) > (${time}, ${id}::uuid)
      OR n.sent_in <> ${known(sql`sent_in`)} AND NOT pg_visible_in_snapshot(n.sent_in, ${known(sql`sent_with`)}))`;
}

/** The caller's own notifications. */
export const notificationList = list({
  name: 'notifications',
  row: Notification,
  from: (ctx) => sql`(SELECT * FROM notifications WHERE user_id = ${ctx.user.id}) n`,
  alias: sql`n`,
  columns,
  filters: {
    unread_only: filter(Type.Boolean(), (isUnreadOnly) => (isUnreadOnly ? sql`n.read_at IS NULL` : undefined)),
    type: equals(Line(100), sql`n.type`),
    module: equals(Line(50), sql`n.module`),
    severity: equals(Notification.properties.severity, sql`n.severity`),
    after: filter(
      Type.String({
        format: 'uuid',
        description:
          'Only notifications that were sent after the one with this id, such as those missed while disconnected.',
      }),
      isAfter,
    ),
  },
  sorts: { created_at: byTime(sql`n.created_at`) },
  total: (ctx, { unread_only, ...others }) => {
    if (Object.keys(others).length > 0) return undefined;
    return unread_only ? selectTotal(ctx, 'unread') : selectTotal(ctx, 'unread', 'read');
  },
});
