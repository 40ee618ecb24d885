import {
  byTime,
  type Ctx,
  columnsFor,
  type Delivery,
  deleteInBatches,
  equals,
  list,
  matchesEvent,
  sql,
  Uuid,
} from '@chowk/kit';
import { findAccess } from './access.ts';
import { fail } from './errors.ts';
import { endPause } from './pauses.ts';
import { type Replay, type Webhook, WebhookDelivery, type WebhookDeliveryDetails } from './schemas.ts';
import { getWebhook } from './webhooks.ts';

const keptDays = 30;
const testEvent = 'webhook.test';
/** Events of a replay that are queued in one transaction. */
const replayBatch = 200;

const columns = columnsFor(WebhookDelivery, sql`d`, {
  can_redeliver: sql`(d.payload IS NOT NULL OR d.event <> ${testEvent})`,
});

const deliveryList = list({
  name: 'deliveries',
  row: WebhookDelivery,
  from: sql`webhook_deliveries d`,
  alias: sql`d`,
  columns,
  scope: { id: equals(Uuid, sql`d.webhook_id`) },
  filters: { status: equals(WebhookDelivery.properties.status, sql`d.status`) },
  sorts: { created_at: byTime(sql`d.created_at`) },
});

/** With the payload, which is not masked. */
export async function getDelivery(
  ctx: Ctx,
  { id, delivery }: { id: string; delivery: string },
): Promise<WebhookDeliveryDetails> {
  await getWebhook(ctx, { id });
  const payload = ctx.can('customers.view_sensitive') ? sql`d.payload` : sql`NULL::text`;
  const row = await ctx.db.row<WebhookDeliveryDetails>(sql`
    SELECT ${columns}, ${payload} AS payload FROM webhook_deliveries d WHERE d.id = ${delivery} AND d.webhook_id = ${id}`);
  if (!row) throw fail('webhooks.delivery_not_found', { delivery });
  return row;
}

export const pagedDeliveries = {
  ...deliveryList.paged,
  run: async (ctx: Ctx, query: Parameters<typeof deliveryList.page>[1]) => {
    await getWebhook(ctx, query);
    return deliveryList.page(ctx, query);
  },
};

/** An event that is sent to webhooks; `sequence` is its number in the event log. */
interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly created_at: string;
  readonly payload: unknown;
}

type Subscriber = Pick<Webhook, 'id' | 'events' | 'conditions' | 'saved_by'>;

const subscriberColumns = sql`id, events, conditions, saved_by`;

/** Queues a delivery to each webhook that subscribes to the event. */
export async function queueDeliveries(ctx: Ctx, payload: unknown, event: Delivery): Promise<void> {
  const active = await ctx.db.rows<Subscriber>(sql`SELECT ${subscriberColumns} FROM webhooks WHERE is_active`);
  const emitted = { id: event.id, type: event.name, sequence: null, created_at: event.emittedAt, payload };
  const deliveries = await findDeliveries(ctx, active, emitted);
  if (deliveries.length === 0) return;
  const [stored] = (await ctx.bus.callIfInstalled('administration.findEvents', { ids: [event.id] })) ?? [];
  const sent = { ...emitted, sequence: stored?.sequence ?? null };
  await ctx.tx(async (tx) => {
    for (const { id, refusal } of deliveries) await queueDelivery(tx, id, sent, { refusal });
  });
}

/** The webhooks that subscribe to the event, each with the reason if it must not get it. */
async function findDeliveries(ctx: Ctx, webhooks: readonly Subscriber[], event: SentEvent) {
  const deliveries: { id: string; refusal: string | undefined }[] = [];
  for (const webhook of webhooks) {
    if (!(await subscribes(ctx, webhook, event))) continue;
    const access = await findAccess(ctx, webhook, event.type);
    if (access !== false) deliveries.push({ id: webhook.id, refusal: access === true ? undefined : access });
  }
  return deliveries;
}

async function subscribes(
  ctx: Ctx,
  { events, conditions }: Subscriber,
  { type, payload }: SentEvent,
): Promise<boolean> {
  if (!events.some((pattern) => matchesEvent(pattern, type))) return false;
  if (conditions.length === 0) return true;
  const isMet = await ctx.bus.callIfInstalled('notifications.meetsConditions', { event: type, conditions, payload });
  return isMet ?? false;
}

interface QueueOptions {
  /** The delivery is recorded as failed with this reason; it can be delivered again. */
  readonly refusal?: string | undefined;
  /** Delivers an event again that the webhook has got. */
  readonly again?: boolean;
}

async function queueDelivery(
  ctx: Ctx,
  webhookId: string,
  event: SentEvent,
  { refusal, again = false }: QueueOptions = {},
): Promise<WebhookDelivery | undefined> {
  const [id, task, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const status = refusal === undefined ? 'pending' : 'failed';
  const nextAttemptAt = refusal === undefined ? now : null;
  const delivery = await ctx.db.row<WebhookDelivery>(sql`
    INSERT INTO webhook_deliveries AS d
      (id, webhook_id, event_id, event, status, payload, task_id, started_at, next_attempt_at, error, created_at, updated_at)
    SELECT ${id}, w.id, ${event.id}, ${event.type}, ${status}, ${writeBody(ctx, event)}, ${task}, ${now},
      ${nextAttemptAt}::timestamptz, ${refusal ?? null}, ${now}, ${now}
    FROM webhooks w WHERE w.id = ${webhookId}
    ON CONFLICT (webhook_id, event_id) DO UPDATE SET status = excluded.status, attempts = 0, payload = excluded.payload,
      task_id = excluded.task_id, started_at = excluded.started_at, next_attempt_at = excluded.next_attempt_at,
      error = excluded.error, updated_at = excluded.updated_at
    WHERE ${again} RETURNING ${columns}`);
  if (delivery && refusal === undefined) await ctx.jobs.add('webhooks.deliver', { id: delivery.id, task });
  return delivery;
}

function writeBody(ctx: Ctx, { id, type, sequence, created_at, payload }: SentEvent): string {
  return JSON.stringify({
    id,
    type,
    timestamp: created_at,
    sequence,
    tenant_id: ctx.tenant.id,
    api_version: ctx.apiVersion,
    data: payload,
  });
}

export async function sendTest(ctx: Ctx, { id }: { id: string }): Promise<WebhookDelivery> {
  return ctx.tx(async (tx) => {
    await mustBeActive(tx, id);
    await endPause(tx, id);
    const created_at = tx.now().toISOString();
    const event = { id: tx.newId(), type: testEvent, sequence: null, created_at, payload: { webhook_id: id } };
    return (await queueDelivery(tx, id, event)) as WebhookDelivery;
  });
}

export async function redeliver(ctx: Ctx, input: { id: string; delivery: string }): Promise<WebhookDelivery> {
  const { id, delivery } = input;
  return ctx.tx(async (tx) => {
    await mustBeActive(tx, id);
    await endPause(tx, id);
    const [task, now] = [tx.newId(), tx.now()];
    const stored = await tx.db.row<{ payload: string | null; event_id: string }>(sql`
      SELECT payload, event_id FROM webhook_deliveries WHERE id = ${delivery} AND webhook_id = ${id} FOR UPDATE`);
    if (!stored) throw fail('webhooks.delivery_not_found', { delivery });
    const payload = stored.payload ?? (await findBody(tx, stored.event_id));
    const queued = await tx.db.row<WebhookDelivery>(sql`
      UPDATE webhook_deliveries d SET status = 'pending', attempts = 0, payload = ${payload}, task_id = ${task}, started_at = ${now},
        next_attempt_at = ${now}, updated_at = ${now}
      WHERE id = ${delivery} RETURNING ${columns}`);
    await tx.jobs.add('webhooks.deliver', { id: delivery, task });
    return queued as WebhookDelivery;
  });
}

/** The body of an event that was delivered, from the event log. */
async function findBody(ctx: Ctx, eventId: string): Promise<string> {
  const [event] = (await ctx.bus.callIfInstalled('administration.findEvents', { ids: [eventId] })) ?? [];
  if (!event) throw fail('webhooks.payload_deleted');
  return writeBody(ctx, event);
}

/** Starts to deliver a range of the event log to a webhook. Events that happen from now on are delivered anyway. */
export async function startReplay(ctx: Ctx, { id, from_sequence, to_sequence }: Replay): Promise<void> {
  const last = await ctx.bus.callIfInstalled('administration.lastEvent', {});
  await ctx.tx(async (tx) => {
    await mustBeActive(tx, id);
    await endPause(tx, id);
    await tx.jobs.add('webhooks.replay', { id, from: from_sequence, to: to_sequence ?? last?.sequence ?? null });
  });
}

/** Queues a part of a replay, and the next part. */
export async function replay(
  ctx: Ctx,
  { id, from, to }: { id: string; from: number; to: number | null },
): Promise<void> {
  const range = { from, ...(to !== null && { to }), limit: replayBatch };
  const events = (await ctx.bus.callIfInstalled('administration.listEvents', range)) ?? [];
  const webhooks = await ctx.db.rows<Subscriber>(sql`
    SELECT ${subscriberColumns} FROM webhooks WHERE id = ${id} AND is_active`);
  if (webhooks.length === 0) return;
  await ctx.tx(async (tx) => {
    for (const event of events) {
      for (const { refusal } of await findDeliveries(tx, webhooks, event)) {
        await queueDelivery(tx, id, event, { refusal, again: true });
      }
    }
    const last = events.at(-1);
    if (last && events.length === replayBatch)
      await tx.jobs.add('webhooks.replay', { id, from: last.sequence + 1, to });
  });
}

async function mustBeActive(ctx: Ctx, id: string): Promise<void> {
  const { is_active } = await getWebhook(ctx, { id });
  if (!is_active) throw fail('webhooks.inactive');
}

/** Deletes what is stored about a customer who is erased. */
export async function erase(ctx: Ctx, { id, mode }: { id: string; mode: string }): Promise<void> {
  if (mode === 'soft') return;
  await ctx.db.run(sql`
    UPDATE webhook_deliveries SET payload = NULL, response_body = NULL, next_attempt_at = NULL,
      status = CASE status WHEN 'pending' THEN 'failed' ELSE status END,
      error = CASE status WHEN 'pending' THEN 'The customer was erased.' ELSE error END
    WHERE payload LIKE ${`%${id}%`} OR response_body LIKE ${`%${id}%`}`);
}

export async function pruneDeliveries(ctx: Ctx): Promise<{ deleted: number }> {
  const before = new Date(ctx.now().getTime() - keptDays * 24 * 3_600_000);
  return { deleted: await deleteInBatches(ctx.db, sql`webhook_deliveries`, sql`created_at < ${before}`) };
}
