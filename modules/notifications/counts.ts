import { type Ctx, type Sql, sql } from '@chowk/kit';

/** A SELECT of the number of the caller's notifications, from counters. */
export function selectTotal(ctx: Ctx, ...states: readonly ('read' | 'unread')[]): Sql {
  const names = states.map((state) => `notifications.${state}.${ctx.user.id}`);
  return sql`SELECT coalesce(sum(value), 0)::bigint AS total FROM counters WHERE name = ANY(${names}::text[])`;
}

export async function countUnread(ctx: Ctx): Promise<{ unread_count: number }> {
  const row = await ctx.db.row<{ total: number }>(selectTotal(ctx, 'unread'));
  return { unread_count: row?.total ?? 0 };
}
