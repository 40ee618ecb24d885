import {
  byTime,
  type Ctx,
  changesBetween,
  columnsFor,
  type Failure,
  type Issues,
  list,
  matchesEvent,
  pickFields,
  removedFields,
  sql,
} from '@chowk/kit';
import { requireAccess } from './access.ts';
import { fail } from './errors.ts';
import { NewWebhook, Webhook, type WebhookChanges, type WebhookWithSecret } from './schemas.ts';

type Key = { readonly id: string };

const maxWebhooks = 50;
const overlapMs = 24 * 3_600_000;

export const columns = columnsFor(Webhook, sql`w`);

export const webhookList = list({
  name: 'webhooks',
  row: Webhook,
  from: sql`webhooks w`,
  alias: sql`w`,
  columns,
  sorts: { created_at: byTime(sql`w.created_at`) },
});

export async function getWebhook(ctx: Ctx, { id }: Key): Promise<Webhook> {
  const webhook = await ctx.db.row<Webhook>(sql`SELECT ${columns} FROM webhooks w WHERE id = ${id}`);
  if (!webhook) throw fail('webhooks.not_found', { id });
  return webhook;
}

export async function checkNewWebhook(ctx: Ctx, input: Partial<NewWebhook>, issues: Issues): Promise<void> {
  await requireAccess(ctx, input.events ?? []);
  checkFields(ctx, input, issues);
  await checkConditions(ctx, input, issues);
}

export async function createWebhook(ctx: Ctx, input: NewWebhook): Promise<WebhookWithSecret> {
  const { url, events, conditions, description, is_active } = input;
  const [id, secret, now] = [ctx.newId(), ctx.http.newSigningSecret(), ctx.now()];
  // Two at once must not exceed the maximum.
  await ctx.db.run(sql`LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE`);
  const { count } = (await ctx.db.row<{ count: number }>(sql`SELECT count(*) AS count FROM webhooks`)) ?? { count: 0 };
  if (count >= maxWebhooks) throw fail('webhooks.too_many', { max: maxWebhooks });
  const webhook = await ctx.db.row<Webhook>(sql`
    INSERT INTO webhooks AS w (id, url, events, conditions, description, is_active, secret, saved_by, created_at, updated_at)
    VALUES (${id}, ${url}, ${events}::text[], ${JSON.stringify(conditions)}::jsonb, ${description}, ${is_active}, ${seal(ctx, id, secret)},
      ${ctx.userId ?? null}, ${now}, ${now})
    RETURNING ${columns}`);
  return { webhook: webhook as Webhook, secret };
}

export async function checkChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<WebhookChanges>,
  issues: Issues,
): Promise<Webhook | undefined> {
  if (id === undefined) return undefined;
  const current = await lockWebhook(ctx, { id });
  if (changesTarget(changes)) await requireAccess(ctx, changes.events ?? current.events);
  checkFields(ctx, changes, issues);
  const isChanged = changes.events !== undefined || changes.conditions !== undefined;
  if (isChanged) await checkConditions(ctx, { ...current, ...changes }, issues);
  return current;
}

export async function updateWebhook(ctx: Ctx, { id, ...changes }: WebhookChanges, current: Webhook): Promise<Webhook> {
  const { url, events, conditions, description, is_active } = {
    ...pickFields(NewWebhook, current),
    ...changes,
  } as NewWebhook;
  const savedBy = changesTarget(changes) ? (ctx.userId ?? null) : current.saved_by;
  ctx.audit(changesBetween<Webhook>(current, changes));
  return (await ctx.db.row<Webhook>(sql`
    UPDATE webhooks w SET url = ${url}, events = ${events}::text[], conditions = ${JSON.stringify(conditions)}::jsonb,
      description = ${description}, is_active = ${is_active},
      saved_by = ${savedBy}, disabled_at = CASE WHEN ${is_active} THEN NULL ELSE disabled_at END, unanswered = 0,
      paused_until = NULL, updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${columns}`)) as Webhook;
}

/** What is sent, or where to: it needs the rights for all events of the webhook. */
function changesTarget({ url, events }: Partial<WebhookChanges>): boolean {
  return url !== undefined || events !== undefined;
}

export async function deleteWebhook(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const webhook = await lockWebhook(tx, { id });
    await tx.db.run(sql`DELETE FROM webhooks WHERE id = ${id}`);
    tx.audit(removedFields(webhook));
  });
}

export async function rotateSecret(ctx: Ctx, { id }: Key): Promise<WebhookWithSecret> {
  const secret = ctx.http.newSigningSecret();
  return ctx.tx(async (tx) => {
    await lockWebhook(tx, { id });
    const expiresAt = new Date(tx.now().getTime() + overlapMs);
    const webhook = await tx.db.row<Webhook>(sql`
      UPDATE webhooks w SET previous_secret = secret, previous_secret_expires_at = ${expiresAt},
        secret = ${seal(tx, id, secret)}, updated_at = ${tx.now()}
      WHERE id = ${id} RETURNING ${columns}`);
    return { webhook: webhook as Webhook, secret };
  });
}

/** Adds problems that the schema cannot express. */
function checkFields(ctx: Ctx, { url, events = [] }: Partial<NewWebhook>, issues: Issues): void {
  try {
    if (url !== undefined) ctx.http.check(url);
  } catch (failure) {
    issues.add('url', (failure as Failure).message, 'not_allowed');
  }
  const names = Object.keys(ctx.declaredEvents);
  for (const pattern of events) {
    const isKnown = names.some((name) => matchesEvent(pattern, name));
    if (!isKnown)
      issues.add('events', `There is no event ${pattern}. GET /api/v1/webhooks/events lists them.`, 'unknown');
  }
}

async function checkConditions(
  ctx: Ctx,
  { events = [], conditions = [] }: Partial<NewWebhook>,
  issues: Issues,
): Promise<void> {
  const [event] = events;
  if (conditions.length === 0 || event === undefined) return;
  if (events.length > 1 || event.includes('*')) {
    issues.add('conditions', 'Conditions need exactly one event, by its name.', 'not_allowed');
    return;
  }
  issues.addAll((await ctx.bus.callIfInstalled('notifications.checkConditions', { event, conditions })) ?? undefined);
}

export async function listEvents(ctx: Ctx): Promise<{ events: { name: string; summary: string }[] }> {
  const audience = await ctx.audience();
  const events = Object.entries(audience.events).map(([name, { summary }]) => ({ name, summary }));
  return { events: events.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The secrets that sign now, the newest first. */
export function openSecrets(ctx: Ctx, id: string, sealed: readonly (string | null)[]): string[] {
  return sealed.filter((secret) => secret !== null).map((secret) => ctx.secrets.open(id, secret));
}

function seal(ctx: Ctx, id: string, secret: string): string {
  return ctx.secrets.seal(id, secret);
}

async function lockWebhook(ctx: Ctx, { id }: Key): Promise<Webhook> {
  const webhook = await ctx.db.row<Webhook>(sql`SELECT ${columns} FROM webhooks w WHERE id = ${id} FOR UPDATE`);
  if (!webhook) throw fail('webhooks.not_found', { id });
  ctx.mustMatch(webhook);
  return webhook;
}
