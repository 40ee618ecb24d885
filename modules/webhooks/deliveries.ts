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
import { type Webhook, WebhookDelivery, type WebhookDeliveryDetails } from './schemas.ts';
import { getWebhook } from './webhooks.ts';

const keptDays = 30;

const columns = columnsFor(WebhookDelivery, sql`d`, { can_redeliver: sql`d.payload IS NOT NULL` });

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

/** The event that a delivery sends. */
type EmittedEvent = Pick<Delivery, 'id' | 'name' | 'emittedAt'> & { readonly payload: unknown };

/** Queues a delivery to each webhook that subscribes to the event. */
export async function queueDeliveries(ctx: Ctx, payload: unknown, event: Delivery): Promise<void> {
  const active = await ctx.db.rows<Pick<Webhook, 'id' | 'events' | 'saved_by'>>(
    sql`SELECT id, events, saved_by FROM webhooks WHERE is_active`,
  );
  const matching = active.filter(({ events }) => events.some((pattern) => matchesEvent(pattern, event.name)));
  const deliveries: { id: string; refusal: string | undefined }[] = [];
  for (const webhook of matching) {
    const access = await findAccess(ctx, webhook, event.name);
    if (access !== false) deliveries.push({ id: webhook.id, refusal: access === true ? undefined : access });
  }
  if (deliveries.length === 0) return;
  await ctx.tx(async (tx) => {
    for (const { id, refusal } of deliveries) await queueDelivery(tx, id, { ...event, payload }, refusal);
  });
}

/** With a refusal, the delivery is recorded as failed; it can be delivered again. */
async function queueDelivery(
  ctx: Ctx,
  webhookId: string,
  event: EmittedEvent,
  refusal?: string,
): Promise<WebhookDelivery | undefined> {
  const body = JSON.stringify({ type: event.name, timestamp: event.emittedAt, data: event.payload });
  const [id, task, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const status = refusal === undefined ? 'pending' : 'failed';
  const nextAttemptAt = refusal === undefined ? now : null;
  const delivery = await ctx.db.row<WebhookDelivery>(sql`
    INSERT INTO webhook_deliveries AS d
      (id, webhook_id, event_id, event, status, payload, task_id, started_at, next_attempt_at, error, created_at, updated_at)
    SELECT ${id}, w.id, ${event.id}, ${event.name}, ${status}, ${body}, ${task}, ${now}, ${nextAttemptAt}::timestamptz,
      ${refusal ?? null}, ${now}, ${now}
    FROM webhooks w WHERE w.id = ${webhookId}
    ON CONFLICT (webhook_id, event_id) DO NOTHING RETURNING ${columns}`);
  if (delivery && refusal === undefined) await ctx.jobs.add('webhooks.deliver', { id, task });
  return delivery;
}

export async function sendTest(ctx: Ctx, { id }: { id: string }): Promise<WebhookDelivery> {
  return ctx.tx(async (tx) => {
    await mustBeActive(tx, id);
    await endPause(tx, id);
    const event = {
      id: tx.newId(),
      name: 'webhook.test',
      emittedAt: tx.now().toISOString(),
      payload: { webhook_id: id },
    };
    return (await queueDelivery(tx, id, event)) as WebhookDelivery;
  });
}

export async function redeliver(ctx: Ctx, input: { id: string; delivery: string }): Promise<WebhookDelivery> {
  const { id, delivery } = input;
  return ctx.tx(async (tx) => {
    await mustBeActive(tx, id);
    await endPause(tx, id);
    const [task, now] = [tx.newId(), tx.now()];
    const stored = await tx.db.row<{ payload: string | null }>(sql`
      SELECT payload FROM webhook_deliveries WHERE id = ${delivery} AND webhook_id = ${id} FOR UPDATE`);
    if (!stored) throw fail('webhooks.delivery_not_found', { delivery });
    if (stored.payload === null) throw fail('webhooks.payload_deleted');
    const queued = await tx.db.row<WebhookDelivery>(sql`
      UPDATE webhook_deliveries d SET status = 'pending', attempts = 0, task_id = ${task}, started_at = ${now},
        next_attempt_at = ${now}, updated_at = ${now}
      WHERE id = ${delivery} RETURNING ${columns}`);
    await tx.jobs.add('webhooks.deliver', { id: delivery, task });
    return queued as WebhookDelivery;
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
