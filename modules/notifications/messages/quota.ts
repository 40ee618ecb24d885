import { type Ctx, sql } from '@chowk/kit';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    readonly messagesPerDay: number;
  }
}

const day = 24 * 3_600_000;

const unverified = 'Messages are sent once an Owner of the organization has verified the email address of the account.';

/** Why the tenant may send no messages to customers, however few. */
export async function findObstacle(ctx: Ctx): Promise<string | undefined> {
  if (isOperator(ctx)) return undefined;
  const { is_verified } = await ctx.bus.call('identity.outboundStanding', {});
  return is_verified ? undefined : unverified;
}

/** Counts a message to a customer. Returns the reason if the tenant may not send it. */
export async function takeFromQuota(ctx: Ctx): Promise<string | undefined> {
  if (isOperator(ctx)) return undefined;
  const { is_verified, created_at } = await ctx.bus.call('identity.outboundStanding', {});
  if (!is_verified) return unverified;
  const planned = ctx.tenant.limits.messages_per_day;
  const limit = planned ?? dailyLimit(ctx, created_at);
  if (limit === undefined || (await count(ctx, limit))) return undefined;
  const outlook = planned === null ? 'the limit grows every day' : 'that is the limit of its plan';
  return `The organization has sent the ${limit} messages that it may send to customers today; ${outlook}.`;
}

/** The operator's own organization has no limit. */
function isOperator(ctx: Ctx): boolean {
  return ctx.tenant.role === 'platform_owner';
}

function dailyLimit(ctx: Ctx, createdAt: string): number | undefined {
  const { messagesPerDay } = ctx.options;
  const age = Math.max(0, Math.floor((ctx.now().getTime() - Date.parse(createdAt)) / day));
  return messagesPerDay === 0 ? undefined : messagesPerDay * (age + 1);
}

/** Whether the message is within the limit. */
async function count(ctx: Ctx, limit: number): Promise<boolean> {
  const today = ctx.now().toISOString().slice(0, 10);
  const counted = await ctx.db.run(sql`
    INSERT INTO message_quota AS q (day, count) VALUES (${today}, 1)
    ON CONFLICT (day) DO UPDATE SET count = q.count + 1 WHERE q.count < ${limit}`);
  return counted > 0;
}

export async function pruneQuota(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - 7 * day).toISOString().slice(0, 10);
  await ctx.db.run(sql`DELETE FROM message_quota WHERE day < ${before}`);
}
