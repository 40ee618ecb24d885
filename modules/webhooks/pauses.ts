import { type Ctx, sql } from '@chowk/kit';

/** Deliveries wait after this many requests in a row without a response. */
const toleratedRequests = 3;
const pauseSeconds: readonly number[] = [30, 60, 120, 300];
/** How long one delivery tests the endpoint after a pause while the others wait. */
const testSeconds = 30;

/**
 * How long a delivery must wait because the endpoint does not respond. After a pause, the first one to ask may be sent and the
 * others wait for its result.
 */
export async function secondsToWait(ctx: Ctx, id: string): Promise<number> {
  const now = ctx.now();
  const webhook = await ctx.db.row<{ seconds: number | null }>(sql`
    SELECT ceil(extract(epoch FROM paused_until - ${now}))::int AS seconds FROM webhooks WHERE id = ${id}`);
  if (webhook?.seconds == null) return 0;
  if (webhook.seconds > 0) return webhook.seconds;
  const until = new Date(now.getTime() + testSeconds * 1_000);
  const claimed = await ctx.db.run(sql`
    UPDATE webhooks SET paused_until = ${until} WHERE id = ${id} AND paused_until <= ${now}`);
  return claimed === 1 ? 0 : testSeconds;
}

/** Counts requests without a response, and begins or ends a pause. */
export async function recordResponse(ctx: Ctx, id: string, hasResponded: boolean): Promise<void> {
  if (hasResponded) {
    await ctx.db.run(sql`UPDATE webhooks SET unanswered = 0, paused_until = NULL WHERE id = ${id} AND unanswered > 0`);
    return;
  }
  const row = await ctx.db.row<{ unanswered: number }>(sql`
    UPDATE webhooks SET unanswered = unanswered + 1 WHERE id = ${id} RETURNING unanswered`);
  const excess = (row?.unanswered ?? 0) - toleratedRequests;
  if (excess < 0) return;
  const seconds = pauseSeconds[Math.min(excess, pauseSeconds.length - 1)] as number;
  const until = new Date(ctx.now().getTime() + seconds * 1_000);
  await ctx.db.run(sql`UPDATE webhooks SET paused_until = ${until} WHERE id = ${id}`);
}

/** Sends the next delivery at once: somebody says that the endpoint works again. */
export async function endPause(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.run(sql`UPDATE webhooks SET paused_until = NULL WHERE id = ${id} AND paused_until IS NOT NULL`);
}
