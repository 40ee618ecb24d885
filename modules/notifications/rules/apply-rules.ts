import { type Ctx, type Delivery, Failure, sql } from '@chowk/kit';
import { type NewMessage, noConsent, providerFor, queueMessage } from '../messages/messages.ts';
import { send } from '../send.ts';
import { meetsConditions } from './conditions.ts';
import { customerPathIn, readFields, valueAt } from './event-fields.ts';
import { type Contact, render, type Subject } from './render-rule.ts';
import { findRefusal } from './rule-access.ts';
import { findPayload } from './rule-check.ts';
import type { Recipient, Rule } from './rule-schemas.ts';
import { ruleColumns } from './rules.ts';

/** Whether the tenant has an active rule for the event. */
export const hasRules = (event: string) =>
  sql`EXISTS (SELECT FROM notification_rules WHERE is_active AND event = ${event})`;

/** Queues a message for each active rule of the event whose conditions hold. */
export async function applyRules(ctx: Ctx, payload: unknown, event: Delivery): Promise<void> {
  const schema = findPayload(ctx, event.name);
  if (!schema) return;
  const fields = readFields(schema);
  const rules = await ctx.db.rows<Rule>(sql`
    SELECT ${ruleColumns} FROM notification_rules r WHERE is_active AND event = ${event.name} ORDER BY id`);
  const matching: { rule: Rule; refusal: string | undefined }[] = [];
  for (const rule of rules) {
    // Conditions of a user who may not see the fields are not evaluated: whether the rule fires would reveal them.
    const refusal = await findRefusal(ctx, rule);
    if (refusal !== undefined || meetsConditions(fields, rule.conditions, payload)) matching.push({ rule, refusal });
  }
  if (matching.length === 0) return;
  const path = customerPathIn(fields);
  await ctx.tx(async (tx) => {
    const id = path === undefined ? undefined : valueAt(payload, path);
    const customer = typeof id === 'string' ? await lockContact(tx, id) : undefined;
    const isGone = typeof id === 'string' && !customer;
    for (const { rule, refusal } of matching) {
      await applyRule(tx, rule, { payload, customer, isGone, refusal, event });
    }
  });
}

/**
 * `undefined` if the customer is deleted. Locked, so that a message is stored before the customer is erased or not at all: the
 * payload may have been read before.
 */
async function lockContact(ctx: Ctx, id: string): Promise<Contact | undefined> {
  const current = await ctx.bus.callIfInstalled('customers.lock', { id });
  if (!current) return undefined;
  const customer = await ctx.bus.call('customers.getRecord', { id: current }).catch(ignoreFailure);
  return customer?.anonymized_at === null ? customer : undefined;
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

interface Occurrence extends Subject {
  /** It concerns a customer who is deleted. */
  readonly isGone: boolean;
  /** Why the rule sends nothing. */
  readonly refusal: string | undefined;
  readonly event: Delivery;
}

async function applyRule(ctx: Ctx, rule: Rule, occurrence: Occurrence): Promise<void> {
  const { customer, event } = occurrence;
  const { purpose } = rule;
  const message = { customer_id: customer?.id ?? null, rule_id: rule.id, event_id: event.id, purpose };
  const target = await findTarget(ctx, rule, occurrence);
  const transport = await transportFor(ctx, rule.channel);
  if ('skip' in target) {
    const { skip: reason } = target;
    const content = { recipient: null, subject: null, body: null };
    const stored = await queueMessage(ctx, { ...message, ...transport, ...content, status: 'skipped', reason });
    const fields = { tenant: ctx.tenant.id, rule: rule.id, event: event.name, channel: rule.channel };
    if (stored) ctx.log.warn(fields, `a notification was skipped: ${reason}`);
    return;
  }
  const { recipient, users } = target;
  const content = render(rule, occurrence);
  const stored = await queueMessage(ctx, { ...message, ...transport, recipient, ...content });
  if (!stored || !users) return;
  const title = content.subject || ctx.declaredEvents[event.name]?.summary || event.name;
  const { customer_id } = message;
  await notifyMembers(ctx, users, { type: event.name, title, body: content.body, customer_id, ...linkTo(occurrence) });
}

/** How a message of a channel is sent: notifications of the team are stored at once. */
export async function transportFor(
  ctx: Ctx,
  channel: Rule['channel'],
): Promise<Pick<NewMessage, 'channel' | 'provider' | 'status'>> {
  if (channel === 'in_app') return { channel, provider: 'in_app', status: 'sent' };
  return { channel, provider: await providerFor(ctx, channel) };
}

type Target = { readonly recipient: string; readonly users?: number[] } | { readonly skip: string };

async function findTarget(ctx: Ctx, { channel, recipient, purpose }: Rule, occurrence: Occurrence): Promise<Target> {
  const { customer, isGone, refusal } = occurrence;
  if (refusal !== undefined) return { skip: refusal };
  if (isGone) return { skip: 'The customer was deleted.' };
  if (recipient !== 'customer') {
    const members = await membersFor(ctx, recipient);
    if (members.length === 0) return { skip: 'No member of the team is the recipient.' };
    const users = await whoMayReceive(ctx, members, occurrence.event.name);
    if (users.length === 0) return { skip: 'No recipient has the permission that the event needs.' };
    return { recipient: 'role' in recipient ? `role ${recipient.role}` : `user ${recipient.user_id}`, users };
  }
  if (purpose === 'marketing' && !customer?.accepts_marketing) return { skip: noConsent };
  const address = channel === 'email' ? customer?.email : customer?.phone;
  if (address) return { recipient: address };
  return { skip: `The customer has no ${channel === 'email' ? 'email address' : 'phone number'}.` };
}

async function membersFor(ctx: Ctx, recipient: Exclude<Recipient, 'customer'>): Promise<number[]> {
  const who = 'role' in recipient ? { role: recipient.role } : { ids: [recipient.user_id] };
  return (await ctx.bus.call('identity.members', who)).map(({ id }) => id);
}

async function whoMayReceive(ctx: Ctx, users: readonly number[], event: string): Promise<number[]> {
  const allowed: number[] = [];
  for (const id of users) if (event in (await ctx.audience(id)).events) allowed.push(id);
  return allowed;
}

interface TeamNotice {
  readonly type: string;
  readonly title: string;
  readonly body: string;
  readonly customer_id: string | null;
  readonly action_url: string | null;
  readonly data: Record<string, unknown> | null;
}

export async function notifyMembers(ctx: Ctx, users: number[], notice: TeamNotice): Promise<void> {
  const nothing = { icon: null, action_label: null, group_key: null };
  await send(ctx, { ...nothing, ...notice, module: 'notifications', severity: 'info', to: users });
}

/** The page of the record that the event concerns, and its id for clients that open it themselves. */
function linkTo({ payload }: Subject): Pick<TeamNotice, 'action_url' | 'data'> {
  for (const name of ['order', 'conversation', 'product', 'customer']) {
    const id = valueAt(payload, `${name}.id`);
    if (typeof id === 'string') return { action_url: `/${name}s/${id}`, data: { [`${name}_id`]: id } };
  }
  return { action_url: null, data: null };
}
