import { byTime, equals, filter, Line, list, sql, Type } from '@chowk/kit';
import { totalOf } from './counts.ts';
import { columns } from './notifications.ts';
import { Notification } from './schemas.ts';
import { timeOf } from './send.ts';

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
    after: filter(
      Type.String({
        format: 'uuid',
        description: 'Only those that were sent after the one with this id: those missed while not connected.',
      }),
      // By the time in the id: the row itself may have been sent again since.
      (id) => sql`(n.created_at, n.id) > (${timeOf(id)}::timestamptz, ${id}::uuid)`,
    ),
  },
  sorts: { created_at: byTime(sql`n.created_at`) },
  total: (ctx, { unread_only, ...others }) => {
    if (Object.keys(others).length > 0) return undefined;
    return unread_only ? totalOf(ctx, 'unread') : totalOf(ctx, 'unread', 'read');
  },
});
