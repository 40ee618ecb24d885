import { type Ctx, Failure, type JobTypes, job, Nullable, sql, Type, Uuid } from '@chowk/kit';
import { findAccess } from './access.ts';
import { pruneDeliveries, replay } from './deliveries.ts';
import { recordResponse, secondsToWait } from './pauses.ts';
import type { Webhook } from './schemas.ts';
import { columns, openSecrets } from './webhooks.ts';

/** Seconds before each retry, as Standard Webhooks recommends: three days in all. */
const retries: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const retryPeriodMs = retries.reduce((sum, seconds) => sum + seconds, 0) * 1_000;
const timeoutMs = 15_000;
const keptBytes = 1_024;
/** The receiver refuses all further events. */
const gone = 410;

const Attempt = Type.Object({ id: Uuid, task: Uuid });
type Attempt = { readonly id: string; readonly task: string };

interface Pending {
  readonly webhook_id: string;
  readonly event: string;
  readonly events: string[];
  readonly saved_by: number | null;
  readonly url: string;
  readonly is_active: boolean;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly payload: string;
  readonly attempts: number;
  readonly started_at: string;
}

interface Outcome {
  readonly status: number | null;
  readonly body: string | null;
  readonly durationMs: number | null;
  /** Why it failed; `null` if it was delivered. */
  readonly error: string | null;
  /** No further attempt makes sense. */
  readonly isFinal: boolean;
  /** Nothing was sent, so that the webhook is not at fault. */
  readonly isRefused?: boolean;
}

export const jobs = {
  'webhooks.deliver': job({ queue: 'webhooks', data: Attempt, retries: [5, 60, 600], run: deliver }),
  'webhooks.replay': job({
    queue: 'webhooks',
    data: Type.Object({ id: Uuid, from: Type.Integer(), to: Nullable(Type.Integer()) }),
    retries: [5, 60, 600],
    run: replay,
  }),
  'webhooks.prune': job({ data: Type.Object({}), schedule: '40 3 * * *', run: pruneDeliveries }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}

async function deliver(ctx: Ctx, attempt: Attempt): Promise<void> {
  const pending = await findPending(ctx, attempt);
  if (!pending) return;
  const refusal = await findRefusal(ctx, pending);
  if (refusal !== undefined) return ctx.tx((tx) => record(tx, attempt, pending, refuse(refusal)));
  const seconds = await secondsToWait(ctx, pending.webhook_id);
  if (seconds > 0) return ctx.tx((tx) => postpone(tx, attempt, seconds));
  const outcome = await send(ctx, attempt.id, pending);
  await ctx.tx(async (tx) => {
    await recordResponse(tx, pending.webhook_id, outcome.status !== null);
    await record(tx, attempt, pending, outcome);
  });
}

/** Waits for the end of a pause. Not counted as an attempt. */
async function postpone(ctx: Ctx, { id, task }: Attempt, seconds: number): Promise<void> {
  const [next, now] = [ctx.newId(), ctx.now()];
  const updated = await ctx.db.run(sql`
    UPDATE webhook_deliveries SET task_id = ${next}, next_attempt_at = ${new Date(now.getTime() + seconds * 1_000)},
      error = 'Waits, because the server did not respond to recent requests.', updated_at = ${now}
    WHERE id = ${id} AND task_id = ${task} AND status = 'pending'`);
  if (updated === 1) await ctx.jobs.add('webhooks.deliver', { id, task: next }, { delaySeconds: seconds });
}

async function findRefusal(ctx: Ctx, pending: Pending): Promise<string | undefined> {
  if (!pending.is_active) return 'The webhook is not active.';
  const access = await findAccess(ctx, pending, pending.event);
  return typeof access === 'string' ? access : access ? undefined : 'The webhook no longer gets this event.';
}

function refuse(error: string): Outcome {
  return { status: null, body: null, durationMs: null, error, isFinal: true, isRefused: true };
}

/** `undefined` if the delivery was completed or redelivered since the job was added. */
function findPending(ctx: Ctx, { id, task }: Attempt): Promise<Pending | undefined> {
  return ctx.db.row<Pending>(sql`
    SELECT d.webhook_id, d.event, d.payload, d.attempts, d.started_at, w.events, w.saved_by, w.url, w.is_active, w.secret,
      CASE WHEN w.previous_secret_expires_at > ${ctx.now()} THEN w.previous_secret END AS previous_secret
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ${id} AND d.task_id = ${task} AND d.status = 'pending' AND d.payload IS NOT NULL`);
}

async function send(ctx: Ctx, id: string, pending: Pending): Promise<Outcome> {
  const { webhook_id, url, secret, previous_secret, payload: body } = pending;
  const signature = { id, at: ctx.now(), secrets: openSecrets(ctx, webhook_id, [secret, previous_secret]) };
  const headers = { 'content-type': 'application/json' };
  const limits = { timeoutMs, maxBytes: keptBytes, truncate: true, maxRedirects: 0 };
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const { status, body: answer } = await ctx.http.request(url, {
      method: 'POST',
      headers,
      signature,
      body,
      ...limits,
    });
    const isDelivered = status >= 200 && status < 300;
    return {
      status,
      body: readable(answer),
      durationMs: durationMs(),
      isFinal: status === gone,
      error: isDelivered ? null : `The response has the status ${status}.`,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: null, body: null, durationMs: durationMs(), error: error.message, isFinal: false };
  }
}

/** PostgreSQL stores no NUL characters. */
function readable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\uFFFD');
}

async function record(ctx: Ctx, { id, task }: Attempt, pending: Pending, outcome: Outcome): Promise<void> {
  const { error, isFinal } = outcome;
  // Pauses may prolong the period, so the number of attempts alone does not end it.
  const isOverdue = ctx.now().getTime() - Date.parse(pending.started_at) > retryPeriodMs;
  const delay = error === null || isFinal || isOverdue ? undefined : retries[pending.attempts];
  const status = error === null ? 'delivered' : delay === undefined ? 'failed' : 'pending';
  const [next, now] = [ctx.newId(), ctx.now()];
  const nextAttemptAt = delay === undefined ? null : new Date(now.getTime() + delay * 1_000);
  const updated = await ctx.db.run(sql`
    UPDATE webhook_deliveries SET status = ${status}, attempts = attempts + 1, task_id = ${next},
      payload = CASE WHEN ${error === null} THEN NULL ELSE payload END, next_attempt_at = ${nextAttemptAt},
      response_status = ${outcome.status}, response_body = ${outcome.body}, duration_ms = ${outcome.durationMs},
      error = ${error}, updated_at = ${now}
    WHERE id = ${id} AND task_id = ${task} AND status = 'pending'`);
  if (updated === 0) return;
  const { webhook_id, started_at } = pending;
  if (delay !== undefined) await ctx.jobs.add('webhooks.deliver', { id, task: next }, { delaySeconds: delay });
  else if (error === null) await recordSuccess(ctx, webhook_id);
  else if (!outcome.isRefused) await disable(ctx, webhook_id, outcome.status === gone ? undefined : started_at);
}

/** At most once a minute, so that deliveries do not wait for each other. */
async function recordSuccess(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  const before = new Date(now.getTime() - 60_000);
  await ctx.db.run(sql`
    UPDATE webhooks SET last_delivered_at = ${now}
    WHERE id = ${id} AND (last_delivered_at IS NULL OR last_delivered_at < ${before})`);
}

/** Disables the webhook unless a delivery has succeeded since the time. */
async function disable(ctx: Ctx, id: string, unlessDeliveredSince: string | undefined): Promise<void> {
  const now = ctx.now();
  const webhook = await ctx.db.row<Webhook>(sql`
    UPDATE webhooks w SET is_active = false, disabled_at = ${now}, updated_at = ${now}
    WHERE id = ${id} AND is_active
      AND NOT coalesce(last_delivered_at >= ${unlessDeliveredSince ?? null}::timestamptz, false)
    RETURNING ${columns}`);
  if (webhook) await ctx.emit('webhook.disabled', { webhook });
}
