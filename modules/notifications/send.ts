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
export async function send(ctx: Ctx, message: Message): Promise<number> {
  checkData(message);
  const members = await findRecipients(ctx, message);
  if (members.size === 0) return 0;
  await ctx.tx(async (tx) => {
    const routes = await routesTo(tx, members, message);
    const ids = await storeFor(tx, routes, { single: message, count: 1 });
    await alert(tx, message, routes, ids);
  });
  return members.size;
}

export function checkData({ data }: Pick<Message, 'data'>): void {
  if (data && JSON.stringify(data).length > maxDataLength) {
    throw invalid({ data: { code: 'too_long', message: `Must have at most ${maxDataLength} characters as JSON.` } });
  }
}

/** The members among those addressed who have the permission that the type needs. */
export async function findRecipients(ctx: Ctx, { to, type }: Pick<Message, 'to' | 'type'>): Promise<Profiles> {
  const { [type]: declared } = await ctx.notificationTypes();
  const permissions = [declared?.needs, declared?.defaultFor].filter((name) => name !== undefined);
  const asked = to === 'members' ? {} : { ids: [to].flat() };
  const rights = permissions.length > 0 ? { permissions } : {};
  const members = await ctx.bus.call('identity.members', { ...asked, ...rights });
  const isAllowed = (held: readonly string[] = []) => declared?.needs === undefined || held.includes(declared.needs);
  return new Map(members.filter((member) => isAllowed(member.permissions)).map((member) => [member.id, member]));
}

/** Stores a notification for those who want it in the console, broadcasts it, and adds it to digests. Returns the ids by user. */
export async function storeFor(ctx: Ctx, routes: readonly Route[], content: Content): Promise<Map<number, string>> {
  const users = routes.filter(({ in_app }) => in_app).map(({ user_id }) => user_id);
  const ids = await store(ctx, users, content);
  await queueBroadcasts(ctx, [...ids.values()]);
  const digested = routes.filter(({ email, in_app }) => email === 'digest' && in_app);
  await addToDigests(
    ctx,
    digested.map((route) => ({ id: ids.get(route.user_id) as string, route })),
  );
  return ids;
}

async function queueBroadcasts(ctx: Ctx, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += batchSize) {
    await ctx.jobs.add('notifications.broadcast', { ids: ids.slice(from, from + batchSize) });
  }
}

/** Queues push messages and mails. Quiet hours drop the former and delay the latter. */
export async function alert(
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
  const pushed = routes.filter((route) => isPushed(ctx, route) && !isQuiet(route));
  await queuePushes(ctx, message, pushed.map(createRecipient));
  const mailed = routes.filter(isMailed);
  await queueMails(
    ctx,
    message,
    mailed.map((route) => ({ recipient: createRecipient(route), route })),
  );
}

export function isPushed(ctx: Ctx, { push, has_device }: Route): boolean {
  return ctx.push !== undefined && push && has_device;
}

export function isMailed({ email }: Route): boolean {
  return email === 'immediate';
}

/** What is stored: `single`, or `several` once there is more than one. */
export interface Content {
  readonly single: Fields;
  /** `{count}` in its title is the number. Default: `single`. */
  readonly several?: Fields | undefined;
  readonly count: number;
}

type Fields = Omit<Message, 'to'>;

/**
 * Returns the ids of the notifications by user. The users are in the order of their ids, in which all sends lock rows. A
 * repeated one comes after all others, also after those of the same millisecond.
 */
async function store(ctx: Ctx, users: readonly number[], content: Content): Promise<Map<number, string>> {
  if (users.length === 0) return new Map();
  const { single, several, count } = content;
  const { type, module, icon, severity, group_key, customer_id } = single;
  const first = several && count > 1 ? { ...several, title: several.title.replace('{count}', String(count)) } : single;
  const next = several ?? single;
  const sum = sql`n.count + excluded.count`;
  const title = several ? sql`replace(${next.title}, '{count}', (${sum})::text)` : sql`${next.title}`;
  const toJson = ({ data }: Fields) => sql`${data && JSON.stringify(data)}::json`;
  const ids = users.map(() => ctx.newId());
  const at = readTime(ids[0] as string);
  const rows = await ctx.db.rows<{ id: string; user_id: number }>(sql`
    INSERT INTO notifications AS n (id, user_id, type, module, title, body, icon, severity, action_url, action_label, data,
      group_key, customer_id, count, created_at, updated_at)
    SELECT id, user_id, ${type}, ${module}, ${first.title}, ${first.body}, ${icon}, ${severity}, ${first.action_url},
      ${first.action_label}, ${toJson(first)}, ${group_key}, ${customer_id}::uuid, ${count}, ${at}::timestamptz, ${at}::timestamptz
    FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS recipients (id, user_id)
    ON CONFLICT (user_id, module, group_key) WHERE read_at IS NULL AND group_key IS NOT NULL DO UPDATE
      SET type = excluded.type, title = ${title}, body = ${next.body}, icon = excluded.icon,
        severity = excluded.severity, action_url = ${next.action_url}, action_label = ${next.action_label},
        data = ${toJson(next)}, customer_id = excluded.customer_id, count = ${sum},
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
