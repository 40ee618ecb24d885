import { type Ctx, type JobTypes, job, Nullable, type Static, sql, Type, UserId } from '@chowk/kit';
import { nextHour } from './local-time.ts';
import { afterQuietHours, channelsFor, type OwnChannels, type Route, type Timing } from './routing.ts';

/** A user whose digest is to be sent. */
type Reader = Timing & Pick<Route, 'user_id' | 'zone'>;

const Digests = Type.Object({
  users: Type.Array(UserId),
  digest_hour: Type.Integer(),
  time_zone: Nullable(Type.String()),
});
type Digests = Static<typeof Digests>;

interface Item {
  readonly user_id: number;
  readonly type: string;
  readonly title: string;
  readonly count: number;
}

const batchSize = 100;
const maxListed = 20;
/** A transaction may commit after the digest was sent, so shortly before a digest it queues another one. */
const marginMs = 10 * 60_000;

/** Adds stored notifications to the next digests of their users. */
export async function addToDigests(
  ctx: Ctx,
  added: readonly { readonly id: string; readonly route: Route }[],
): Promise<void> {
  if (added.length === 0) return;
  const [ids, users] = [added.map(({ id }) => id), added.map(({ route }) => route.user_id)];
  await ctx.db.run(sql`
    INSERT INTO notification_digest_items (user_id, notification_id, created_at)
    SELECT user_id, id, ${ctx.now()} FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS added (id, user_id)
    ON CONFLICT DO NOTHING`);
  const now = ctx.now().getTime();
  const isDue = (route: Route) => !route.awaits_digest || digestTime(ctx, route).getTime() - now < marginMs;
  await queueDigests(ctx, added.map(({ route }) => route).filter(isDue));
}

/** Queues the next digests. A digest without notifications is not sent. */
export async function queueDigests(ctx: Ctx, readers: readonly Reader[]): Promise<void> {
  const groups = Map.groupBy(readers, (reader) =>
    [digestTime(ctx, reader).getTime(), reader.digest_hour, reader.time_zone].join(' '),
  );
  for (const group of groups.values()) {
    const [first] = group as [Reader];
    const { digest_hour, time_zone } = first;
    const delaySeconds = Math.ceil((digestTime(ctx, first).getTime() - ctx.now().getTime()) / 1_000);
    for (let from = 0; from < group.length; from += batchSize) {
      const users = group.slice(from, from + batchSize).map(({ user_id }) => user_id);
      await ctx.jobs.add('notifications.digest', { users, digest_hour, time_zone }, { delaySeconds });
    }
  }
}

export async function awaitsDigest(ctx: Ctx, userId: number): Promise<boolean> {
  const row = await ctx.db.row(sql`SELECT FROM notification_digest_items WHERE user_id = ${userId} LIMIT 1`);
  return row !== undefined;
}

function digestTime(ctx: Ctx, reader: Reader): Date {
  const { digest_hour, zone } = reader;
  return afterQuietHours(reader, nextHour(digest_hour, ctx.now(), zone), zone);
}

/** The notifications are taken in the transaction that queues the mails, so that no mail is sent twice. */
async function sendDigests(ctx: Ctx, { users, digest_hour, time_zone }: Digests): Promise<void> {
  const types = await ctx.notificationTypes();
  await ctx.tx(async (tx) => {
    const readers = await tx.db.rows<{
      user_id: number;
      defaults: OwnChannels;
      types: Record<string, OwnChannels>;
    }>(sql`
      SELECT user_id, defaults, types FROM notification_preferences
      WHERE user_id = ANY(${users}::bigint[]) AND digest_hour = ${digest_hour} AND time_zone IS NOT DISTINCT FROM ${time_zone}::text`);
    const items = await takeItems(
      tx,
      readers.map(({ user_id }) => user_id),
    );
    const mails = readers.flatMap(({ user_id, defaults, types: own }) => {
      const listed = items.filter(
        (item) =>
          item.user_id === user_id &&
          channelsFor(types[item.type], { isOn: true, defaults, own: own[item.type] }).email === 'digest',
      );
      return listed.length === 0 ? [] : [{ id: tx.newId(), user_id, ...writeDigest(listed) }];
    });
    if (mails.length > 0) await tx.bus.call('identity.mailMembers', { mails });
  });
}

/** Those that are still unread, newest first. */
function takeItems(ctx: Ctx, users: readonly number[]): Promise<Item[]> {
  return ctx.db.rows<Item>(sql`
    WITH taken AS (
      DELETE FROM notification_digest_items WHERE user_id = ANY(${users}::bigint[]) RETURNING notification_id)
    SELECT n.user_id, n.type, n.title, n.count FROM taken JOIN notifications n ON n.id = taken.notification_id
    WHERE n.read_at IS NULL ORDER BY n.created_at DESC, n.id DESC`);
}

function writeDigest(items: readonly Item[]) {
  const total = items.length === 1 ? 'an unread notification' : `${items.length} unread notifications`;
  const titles = items.slice(0, maxListed).map(describeItem);
  const rest = items.length > maxListed ? [`And ${items.length - maxListed} more.`] : [];
  return {
    subject: `You have ${total}`,
    paragraphs: [...titles, ...rest],
    button: { label: 'Open your notifications', path: '/notifications' },
    warning: 'You get this mail once a day, as your notification preferences say.',
  };
}

/** A title that has the number needs no second one. */
function describeItem({ title, count }: Item): string {
  return count > 1 && !title.includes(String(count)) ? `${title} (${count} times)` : title;
}

export const digestJobs = {
  'notifications.digest': job({ data: Digests, run: sendDigests }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof digestJobs> {}
}
