import { type Ctx, invalid, type JobsOf, job, type Recipients, sql, Type, Uuid } from '@chowk/kit';
import { columns } from './notifications.ts';
import type { Message, Notification } from './schemas.ts';

/** Bounds the work of one job. */
const batchSize = 500;
const maxDataLength = 10_000;

/**
 * Stores a notification for each recipient who is a member of the tenant, and sends it after the commit. Returns the number
 * of recipients.
 */
export async function send(ctx: Ctx, { to, ...message }: Message): Promise<number> {
  const data = message.data && JSON.stringify(message.data);
  if (data && data.length > maxDataLength) {
    throw invalid({ data: { code: 'too_long', message: `Must have at most ${maxDataLength} characters as JSON.` } });
  }
  const users = await membersAmong(ctx, to);
  if (users.length === 0) return 0;
  return ctx.tx(async (tx) => {
    const ids = await store(tx, users, { ...message, data });
    for (let from = 0; from < ids.length; from += batchSize) {
      await tx.jobs.add('notifications.broadcast', { ids: ids.slice(from, from + batchSize) });
    }
    return ids.length;
  });
}

/** In the order of their ids, in which all sends lock rows. */
async function membersAmong(ctx: Ctx, to: Recipients): Promise<number[]> {
  const identity = await ctx.helpers('identity');
  const members = await identity?.members(to === 'members' ? {} : { ids: [to].flat() });
  return [...(members?.keys() ?? [])].toSorted((one, other) => one - other);
}

type Fields = Omit<Message, 'to' | 'data'> & { readonly data: string | null };

/** A repeated one comes after all others, also after those of the same millisecond. */
async function store(ctx: Ctx, users: readonly number[], fields: Fields): Promise<string[]> {
  const { type, module, title, body, icon, severity, action_url, action_label, data, group_key } = fields;
  const ids = users.map(() => ctx.newId());
  const at = timeOf(ids[0] as string);
  const rows = await ctx.db.rows<{ id: string }>(sql`
    INSERT INTO notifications AS n (id, user_id, type, module, title, body, icon, severity, action_url, action_label, data,
      group_key, created_at, updated_at)
    SELECT id, user_id, ${type}, ${module}, ${title}, ${body}, ${icon}, ${severity}, ${action_url}, ${action_label},
      ${data}::json, ${group_key}, ${at}::timestamptz, ${at}::timestamptz
    FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS recipients (id, user_id)
    ON CONFLICT (user_id, module, group_key) WHERE read_at IS NULL AND group_key IS NOT NULL DO UPDATE
      SET type = excluded.type, title = excluded.title, body = excluded.body, icon = excluded.icon,
        severity = excluded.severity, action_url = excluded.action_url, action_label = excluded.action_label,
        data = excluded.data, count = n.count + 1, created_at = excluded.created_at + interval '1 millisecond',
        updated_at = excluded.updated_at, sent_in = excluded.sent_in
    RETURNING id`);
  return rows.map(({ id }) => id);
}

/** Other UUIDs can mean years that PostgreSQL does not read. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/** The time in a UUIDv7. */
export function timeOf(id: string): string {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return new Date(Math.min(time, lastTime)).toISOString();
}

/** A client may get a notification twice and knows it by its id. */
async function broadcast(ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<void> {
  const notifications = await ctx.db.rows<Notification>(sql`
    SELECT ${columns} FROM notifications n WHERE id = ANY(${ids}::uuid[]) ORDER BY created_at, id`);
  for (const notification of notifications) {
    await ctx.broadcast(`private-user.${notification.user_id}`, 'notification.created', notification);
  }
}

export const jobs = {
  'notifications.broadcast': job({
    queue: 'notifications',
    batchSize: 20,
    data: Type.Object({ ids: Type.Array(Uuid) }),
    retries: [1, 5, 15],
    run: broadcast,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobsOf<typeof jobs> {}
}
