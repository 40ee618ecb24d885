import { type Ctx, type JobTypes, job, type Static, sql, Type, Uuid } from '@chowk/kit';
import { Delivery, openMessage, type Sendable, sealMessage, unreadAmong } from '../delivery.ts';

type PushService = NonNullable<Ctx['push']>;
type PushMessage = Parameters<PushService['send']>[0];
type PushResult = Awaited<ReturnType<PushService['send']>>;

const Push = Type.Object({
  ...Delivery,
  /** In a retry, the devices that have not got it yet. */
  devices: Type.Optional(Type.Array(Uuid)),
  attempt: Type.Integer(),
});
type Push = Static<typeof Push>;
type Recipient = Push['recipients'][number];

interface Device {
  readonly id: string;
  readonly user_id: number;
  readonly session_id: string;
  readonly token: string;
}

const batchSize = 100;
const devicesAtOnce = 10;
/** Seconds before each retry, unless the service asks for more. Later, a message is of no use. */
const retries: readonly number[] = [10, 60, 300, 1_200];
const maxBodyLength = 300;
/** A message has at most 4,096 bytes. */
const maxUrlBytes = 1_000;

export async function queuePushes(ctx: Ctx, message: Sendable, recipients: readonly Recipient[]): Promise<void> {
  for (let from = 0; from < recipients.length; from += batchSize) {
    const batch = recipients.slice(from, from + batchSize);
    await ctx.jobs.add('notifications.push', { message: sealMessage(ctx, message), recipients: batch, attempt: 0 });
  }
}

async function push(ctx: Ctx, task: Push): Promise<void> {
  const { push: service } = ctx;
  if (!service) return;
  const recipients = new Map((await unreadAmong(ctx, task.recipients)).map((one) => [one.user_id, one]));
  const users = [...recipients.keys()];
  const devices = await activeDevices(ctx, await findDevices(ctx, users, task.devices));
  if (devices.length === 0) return;
  const badges = await unreadCounts(ctx, users);
  const message = openMessage(ctx, task.message);
  const results = await inParallel(devices, ({ user_id, token }) => {
    const { id } = recipients.get(user_id) as Recipient;
    return service.send({ ...toPush(ctx, { ...message, id }, badges.get(user_id) ?? 0), token });
  });
  await ctx.tx((tx) => settle(tx, task, results));
}

async function settle(ctx: Ctx, task: Push, results: ReadonlyMap<Device, PushResult>): Promise<void> {
  const dead: Device[] = [];
  const failed: Device[] = [];
  let delaySeconds = retries[task.attempt] ?? 0;
  for (const [device, result] of results) {
    if (result.outcome === 'dead_token') dead.push(device);
    if (result.outcome === 'retry') {
      failed.push(device);
      delaySeconds = Math.max(delaySeconds, result.afterSeconds);
    }
    if (result.outcome === 'refused') {
      ctx.log.warn({ device: device.id, reason: result.reason }, 'a push message was refused');
    }
  }
  await removeDevices(ctx, dead);
  if (failed.length === 0) return;
  if (task.attempt >= retries.length) {
    ctx.log.warn({ devices: failed.length }, 'push messages were dropped: the service is not available');
    return;
  }
  const devices = failed.map(({ id }) => id);
  await ctx.jobs.add('notifications.push', { ...task, devices, attempt: task.attempt + 1 }, { delaySeconds });
}

function findDevices(ctx: Ctx, users: readonly number[], among: readonly string[] | undefined): Promise<Device[]> {
  return ctx.db.rows<Device>(sql`
    SELECT id, user_id, session_id, token FROM devices
    WHERE user_id = ANY(${users}::bigint[]) AND (${among ?? null}::uuid[] IS NULL OR id = ANY(${among ?? null}::uuid[]))`);
}

/** Removes the devices whose session has ended, whose token another session has, or whose user has left the tenant. */
async function activeDevices(ctx: Ctx, devices: readonly Device[]): Promise<Device[]> {
  if (devices.length === 0) return [];
  const sent = devices.map(({ session_id, token }) => ({ session_id, token }));
  const active = new Set(await ctx.bus.call('identity.activeDevices', { devices: sent }));
  const isActive = ({ token }: Device) => active.has(token);
  await removeDevices(
    ctx,
    devices.filter((device) => !isActive(device)),
  );
  return devices.filter(isActive);
}

/** Unless they have been registered again meanwhile. */
async function removeDevices(ctx: Ctx, devices: readonly Device[]): Promise<void> {
  if (devices.length === 0) return;
  const [ids, sessions] = [devices.map(({ id }) => id), devices.map(({ session_id }) => session_id)];
  await ctx.db.run(sql`
    DELETE FROM devices d USING unnest(${ids}::uuid[], ${sessions}::uuid[]) AS gone (id, session_id)
    WHERE d.id = gone.id AND d.session_id = gone.session_id`);
}

async function unreadCounts(ctx: Ctx, users: readonly number[]): Promise<Map<number, number>> {
  const rows = await ctx.db.rows<{ user_id: number; count: number }>(sql`
    SELECT u.id AS user_id, sum(c.value)::bigint AS count
    FROM unnest(${users}::bigint[]) AS u (id) JOIN counters c ON c.name = 'notifications.unread.' || u.id GROUP BY u.id`);
  return new Map(rows.map(({ user_id, count }) => [user_id, count]));
}

/** A tap opens the conversation or the order that `data` names, else `action_url`. */
function toPush(ctx: Ctx, message: Sendable & { id: string }, badge: number): Omit<PushMessage, 'token'> {
  const { id, type, title, body, action_url, data } = message;
  const fits = action_url !== null && Buffer.byteLength(action_url) <= maxUrlBytes;
  const records = ['conversation_id', 'order_id'].flatMap((name) => {
    const value = data?.[name];
    return (typeof value === 'string' && value.length <= 100) || typeof value === 'number'
      ? [[name, String(value)]]
      : [];
  });
  return {
    title,
    body: body && shorten(body),
    badge,
    tag: id,
    data: {
      id,
      type,
      tenant_id: ctx.tenant.id,
      unread_count: String(badge),
      ...(fits ? { action_url } : {}),
      ...Object.fromEntries(records),
    },
  };
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= maxBodyLength ? text : `${characters.slice(0, maxBodyLength - 1).join('')}…`;
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Map<Item, Result>> {
  const results = new Map<Item, Result>();
  const queue = [...items];
  const run = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) results.set(item, await work(item));
  };
  await Promise.all(Array.from({ length: devicesAtOnce }, run));
  return results;
}

export const pushJobs = {
  // In a queue of its own, so that nothing waits for a slow service.
  'notifications.push': job({ queue: 'push', data: Push, run: push }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof pushJobs> {}
}
