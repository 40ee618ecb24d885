import { type Ctx, deleteInBatches, Failure, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import type { Purpose } from '../schemas.ts';
import { log } from './providers/log.ts';
import { mail } from './providers/mail.ts';
import type { Channel, Letter, OutboundMessage, Outcome, Provider, Template } from './providers/provider.ts';
import { twilio } from './providers/twilio.ts';
import { webhook } from './providers/webhook.ts';
import { pruneQuota, takeFromQuota } from './quota.ts';
import { emitStatus, notifyFailed } from './receipts.ts';

/** Seconds before each retry: nine hours in all. */
const retries: readonly number[] = [10, 60, 300, 1_800, 7_200, 21_600];
const day = 24 * 3_600_000;

const providers = { log, mail, twilio, webhook } satisfies Record<string, Provider>;
export type ProviderName = keyof typeof providers;

export interface NewMessage {
  /** Default: a new id. */
  readonly id?: string;
  readonly channel: Channel;
  readonly provider: ProviderName | 'in_app';
  readonly recipient: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly customer_id: string | null;
  readonly rule_id: string | null;
  readonly event_id: string | null;
  readonly is_reply?: boolean;
  readonly letter?: Letter | null;
  readonly template?: Template | null;
  readonly purpose: Purpose;
  /** Only `queued` ones are delivered. Default `queued`. */
  readonly status?: 'queued' | 'sent' | 'skipped';
  readonly reason?: string;
}

/** The provider that the tenant has chosen for a channel. Without a mail server mails are only logged, in a sandbox all messages. */
export async function providerFor(ctx: Ctx, channel: Exclude<Channel, 'in_app'>): Promise<ProviderName> {
  if (ctx.tenant.isSandbox) return 'log';
  if (channel === 'email') return ctx.options.hasMailServer ? 'mail' : 'log';
  const settings = await ctx.settings();
  return settings[`notifications.${channel}_provider`];
}

/** Sends a message once, and stores nothing. */
export function sendWith(ctx: Ctx, provider: ProviderName, message: OutboundMessage): Promise<Outcome> {
  return providers[provider](ctx, message);
}

export interface StoredMessage {
  readonly id: string;
  /** Why it is not sent. */
  readonly skipped: string | null;
}

/**
 * Stores a message and, with the commit, queues its delivery, unless the tenant has reached its limit. Returns `undefined` if
 * the rule was applied to the event before.
 */
export async function queueMessage(ctx: Ctx, message: NewMessage): Promise<StoredMessage | undefined> {
  const { channel, provider, recipient, subject, body, customer_id, rule_id, event_id, purpose } = message;
  const { id = ctx.newId(), status = 'queued', reason = null, is_reply = false } = message;
  const [letter, template] = [message.letter, message.template].map((value) => (value ? JSON.stringify(value) : null));
  const now = ctx.now();
  const sentAt = status === 'sent' ? now : null;
  const nextAttemptAt = status === 'queued' ? now : null;
  const stored = await ctx.db.run(sql`
    INSERT INTO messages (id, channel, provider, recipient, subject, body, status, reason, customer_id, rule_id, event_id,
      purpose, is_reply, letter, template, next_attempt_at, sent_at, created_at, updated_at)
    VALUES (${id}, ${channel}, ${provider}, ${recipient}, ${subject}, ${body}, ${status}, ${reason}, ${customer_id},
      ${rule_id}, ${event_id}, ${purpose}, ${is_reply}, ${letter}::jsonb, ${template}::jsonb, ${nextAttemptAt}, ${sentAt}, ${now},
      ${now})
    ON CONFLICT (rule_id, event_id) DO NOTHING`);
  if (stored === 0) return undefined;
  if (status !== 'queued') return { id, skipped: reason };
  return { id, skipped: await startDelivery(ctx, id, provider) };
}

/** Queues the first attempt. Returns the reason if the tenant has reached its limit. */
export async function startDelivery(ctx: Ctx, id: string, provider: NewMessage['provider']): Promise<string | null> {
  // With `log`, nothing is sent.
  const skipped = provider === 'log' ? undefined : await takeFromQuota(ctx);
  if (skipped !== undefined) {
    await skip(ctx, id, skipped);
    return skipped;
  }
  // The job has no personal data: it is stored in the central database.
  await ctx.jobs.add('notifications.deliver', { id, attempt: 0 });
  return null;
}

export const noConsent = 'The customer does not accept marketing messages.';

export async function acceptsMarketing(ctx: Ctx, customerId: string | null): Promise<boolean> {
  if (customerId === null) return false;
  const customer = await ctx.bus.callIfInstalled('customers.getRecord', { id: customerId }).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });
  return customer?.accepts_marketing ?? false;
}

async function skip(ctx: Ctx, id: string, reason: string): Promise<void> {
  await ctx.db.run(sql`
    UPDATE messages SET status = 'skipped', reason = ${reason}, recipient = NULL, subject = NULL, body = NULL,
      next_attempt_at = NULL WHERE id = ${id}`);
  ctx.log.warn({ tenant: ctx.tenant.id, message: id }, `a message was skipped: ${reason}`);
}

interface Attempt {
  readonly id: string;
  /** The number of attempts before. A job of an earlier attempt is obsolete. */
  readonly attempt: number;
}

async function deliver(ctx: Ctx, attempt: Attempt): Promise<void> {
  const message = await ctx.db.row<OutboundMessage & { provider: ProviderName }>(sql`
    SELECT id, channel, provider, recipient, subject, body, customer_id, purpose, is_reply, letter, template FROM messages
    WHERE id = ${attempt.id} AND status = 'queued' AND attempts = ${attempt.attempt}`);
  if (!message) return;
  // Consent may have been withdrawn since it was queued.
  if (message.purpose === 'marketing' && !(await acceptsMarketing(ctx, message.customer_id))) {
    await ctx.tx((tx) => skip(tx, message.id, noConsent));
    return;
  }
  const outcome = await sendWith(ctx, message.provider, message);
  const hasFailed = await ctx.tx((tx) => record(tx, attempt, outcome));
  if (hasFailed && outcome.status !== 'sent') await notifyFailed(ctx, { ...message, reason: outcome.reason });
}

/** The address and text are not kept if the message belongs neither to a customer nor to a rule, or is kept in a conversation. */
const isForgotten = sql`(is_reply OR customer_id IS NULL AND rule_id IS NULL)`;

/** Returns whether it will not be tried again and has not been sent. */
async function record(ctx: Ctx, { id, attempt }: Attempt, outcome: Outcome): Promise<boolean> {
  const delay = outcome.status === 'retry' ? findDelay(outcome, attempt) : undefined;
  const status = outcome.status === 'sent' ? 'sent' : delay === undefined ? 'failed' : 'queued';
  const isSent = outcome.status === 'sent';
  const now = ctx.now();
  const forget = sql`${status !== 'queued'} AND ${isForgotten}`;
  const updated = await ctx.db.run(sql`
    UPDATE messages SET status = ${status}, attempts = attempts + 1, reason = ${isSent ? null : outcome.reason},
      provider_message_id = ${isSent ? outcome.providerMessageId : null}, sent_at = ${isSent ? now : null},
      next_attempt_at = ${delay === undefined ? null : new Date(now.getTime() + delay * 1_000)}, updated_at = ${now},
      recipient = CASE WHEN ${forget} THEN NULL ELSE recipient END,
      subject = CASE WHEN ${forget} THEN NULL ELSE subject END, body = CASE WHEN ${forget} THEN NULL ELSE body END
    WHERE id = ${id} AND status = 'queued' AND attempts = ${attempt}`);
  if (updated === 0) return false;
  await emitStatus(ctx, id);
  if (delay !== undefined) {
    await ctx.jobs.add('notifications.deliver', { id, attempt: attempt + 1 }, { delaySeconds: delay });
  } else if (outcome.status !== 'sent') {
    ctx.log.warn({ tenant: ctx.tenant.id, message: id, reason: outcome.reason }, 'a message could not be delivered');
  }
  return status === 'failed';
}

function findDelay({ afterSeconds = 0 }: { afterSeconds?: number }, attempt: number): number | undefined {
  const delay = retries[attempt];
  return delay === undefined ? undefined : Math.max(delay, afterSeconds);
}

async function prune(ctx: Ctx): Promise<{ deleted: number }> {
  const { 'notifications.message_retention_days': days } = await ctx.settings();
  const before = new Date(ctx.now().getTime() - days * day);
  await pruneQuota(ctx);
  return { deleted: await deleteInBatches(ctx.db, sql`messages`, sql`created_at < ${before}`) };
}

export const messageJobs = {
  'notifications.deliver': job({
    queue: 'messages',
    data: Type.Object({ id: Uuid, attempt: Type.Integer({ minimum: 0 }) }),
    retries: [5, 60, 600],
    run: deliver,
  }),
  'notifications.prune_messages': job({ data: Type.Object({}), schedule: '50 3 * * *', run: prune }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof messageJobs> {}
}
