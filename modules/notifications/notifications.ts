import { type Ctx, columnsFor, type Sql, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { Notification } from './schemas.ts';

type Key = { readonly id: string };

/** From a row of `notifications n`. */
export const columns = columnsFor(Notification, sql`n`);

/** Keeps the time of the first reading. */
export function markAsRead(ctx: Ctx, { id }: Key): Promise<Notification> {
  return update(
    ctx,
    sql`read_at = coalesce(n.read_at, ${ctx.now()}),
      updated_at = CASE WHEN n.read_at IS NULL THEN ${ctx.now()}::timestamptz ELSE n.updated_at END`,
    sql`id = ${id} AND user_id = ${ctx.user.id}`,
    id,
  );
}

/** It leaves its group, which may have another unread notification by now. */
export function markAsUnread(ctx: Ctx, { id }: Key): Promise<Notification> {
  return update(
    ctx,
    sql`read_at = NULL, updated_at = ${ctx.now()}, group_key = CASE WHEN n.read_at IS NULL THEN n.group_key END`,
    sql`id = ${id}`,
    id,
  );
}

async function update(ctx: Ctx, assignments: Sql, condition: Sql, id: string): Promise<Notification> {
  return ctx.tx(async (tx) => {
    const notification = await tx.db.row<Notification>(sql`
      UPDATE notifications n SET ${assignments} WHERE ${condition} RETURNING ${columns}`);
    if (!notification) throw fail('notifications.not_found', { id });
    return notification;
  });
}

export async function markAllAsRead(ctx: Ctx): Promise<{ count: number }> {
  return ctx.tx(async (tx) => {
    const count = await tx.db.run(sql`
      UPDATE notifications SET read_at = ${tx.now()}, updated_at = ${tx.now()}
      WHERE user_id = ${tx.user.id} AND read_at IS NULL`);
    return { count };
  });
}

export async function deleteNotification(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const deleted = await tx.db.run(sql`DELETE FROM notifications WHERE id = ${id} AND user_id = ${tx.user.id}`);
    if (deleted === 0) throw fail('notifications.not_found', { id });
  });
}
