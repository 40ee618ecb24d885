import { type Ctx, invalid, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import type { Sendable } from './delivery.ts';
import { queuePushes } from './devices/push.ts';
import { columns } from './notifications.ts';
import { addToDigests } from './preferences/digest.ts';
import { queueMails } from './preferences/mail.ts';
import { afterQuietHours, type Profiles, type Route, routesTo } from './preferences/routing.ts';
import type { Message, Notification } from './schemas.ts';

/** Bounds the work of one job. */
const batchSize = 500;
const maxDataLength = 10_000;

/**
 * Stores a notification for each recipient who is a member of the tenant, and sends it after the commit, over the channels
 * that the recipient prefers. Returns the number of recipients.
 */
export async function send(ctx: Ctx, { to, ...message }: Message): Promise<number> {
  const data = message.data && JSON.stringify(message.data);
  if (data && data.length > maxDataLength) {
    throw invalid({ data: { code: 'too_long', message: `Must have at most ${maxDataLength} characters as JSON.` } });
  }
  const members = await membersAmong(ctx, to);
  if (members.size === 0) return 0;
  await ctx.tx(async (tx) => {
    const routes = await routesTo(tx, members, message.type);
    const ids = await store(
      tx,
      routes.filter(({ in_app }) => in_app).map(({ user_id }) => user_id),
      { ...message, data },
    );
    await queueBroadcasts(tx, [...ids.values()]);
    await sendElsewhere(tx, message, routes, ids);
  });
  return members.size;
}

async function membersAmong(ctx: Ctx, to: Message['to']): Promise<Profiles> {
  const members = await ctx.bus.call('identity.members', to === 'members' ? {} : { ids: [to].flat() });
  return new Map(members.map((member) => [member.id, member]));
}

async function queueBroadcasts(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += batchSize) {
    await ctx.jobs.add('notifications.broadcast', { ids: ids.slice(from, from + batchSize) });
  }
}

/** Queues push messages and mails. Quiet hours drop the former and delay the latter. */
async function sendElsewhere(
  ctx: Ctx,
  message: Sendable,
  routes: readonly Route[],
  ids: ReadonlyMap<number, string>,
): Promise<void> {
  const now = ctx.now();
  const createRecipient = ({ user_id }: Route) => {
    const id = ids.get(user_id);
    return { id: id ?? ctx.newId(), user_id, is_stored: id !== undefined };
  };
  const isQuiet = (route: Route) => !route.is_critical && afterQuietHours(route, now, route.zone) > now;
  const pushed = routes.filter((route) => route.push && route.has_device && !isQuiet(route));
  if (ctx.push) await queuePushes(ctx, message, pushed.map(createRecipient));
  const mailed = routes.filter(({ email }) => email === 'immediate');
  await queueMails(
    ctx,
    message,
    mailed.map((route) => ({ recipient: createRecipient(route), route })),
  );
  const digested = routes.filter(({ email, in_app }) => email === 'digest' && in_app);
  await addToDigests(
    ctx,
    digested.map((route) => ({ id: ids.get(route.user_id) as string, route })),
  );
}

type Fields = Omit<Message, 'to' | 'data'> & { readonly data: string | null };

/**
 * Returns the ids of the notifications by user. The users are in the order of their ids, in which all sends lock rows. A
 * repeated one comes after all others, also after those of the same millisecond.
 */
async function store(ctx: Ctx, users: readonly number[], fields: Fields): Promise<Map<number, string>> {
  if (users.length === 0) return new Map();
  const { type, module, title, body, icon, severity, action_url, action_label, data, group_key, customer_id } = fields;
  const ids = users.map(() => ctx.newId());
  const at = readTime(ids[0] as string);
  const rows = await ctx.db.rows<{ id: string; user_id: number }>(sql`
    INSERT INTO notifications AS n (id, user_id, type, module, title, body, icon, severity, action_url, action_label, data,
      group_key, customer_id, created_at, updated_at)
    SELECT id, user_id, ${type}, ${module}, ${title}, ${body}, ${icon}, ${severity}, ${action_url}, ${action_label},
      ${data}::json, ${group_key}, ${customer_id}::uuid, ${at}::timestamptz, ${at}::timestamptz
    FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS recipients (id, user_id)
    ON CONFLICT (user_id, module, group_key) WHERE read_at IS NULL AND group_key IS NOT NULL DO UPDATE
      SET type = excluded.type, title = excluded.title, body = excluded.body, icon = excluded.icon,
        severity = excluded.severity, action_url = excluded.action_url, action_label = excluded.action_label,
        data = excluded.data, customer_id = excluded.customer_id, count = n.count + 1,
        created_at = excluded.created_at + interval '1 millisecond', updated_at = excluded.updated_at,
        sent_in = excluded.sent_in
    RETURNING id, user_id`);
  return new Map(rows.map(({ id, user_id }) => [user_id, id]));
}

/** Other UUIDs can mean years that PostgreSQL does not read. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/** The time in a UUIDv7. */
export function readTime(id: string): string {
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
  await ctx.emitAll(
    'notification.created',
    notifications.map((notification) => ({ notification })),
  );
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
  interface Jobs extends JobTypes<typeof jobs> {}
}
