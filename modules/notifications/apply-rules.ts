import { type Ctx, type Delivery, maskDigits, sql } from '@chowk/kit';
import { meetsConditions } from './conditions.ts';
import { customerPathIn, fieldsOf, valueAt } from './event-fields.ts';
import { providerFor, queueMessage } from './messages.ts';
import { type Contact, render, type Subject } from './render-rule.ts';
import { payloadOf } from './rule-check.ts';
import type { Rule } from './rule-schemas.ts';
import { ruleColumns } from './rules.ts';
import { send } from './send.ts';

/** Whether events of the name are of interest. */
export const hasRules = (event: string) =>
  sql`EXISTS (SELECT FROM notification_rules WHERE is_active AND event = ${event})`;

/** Queues a message for each active rule of the event whose conditions hold. */
export async function applyRules(ctx: Ctx, payload: unknown, event: Delivery): Promise<void> {
  const schema = payloadOf(ctx, event.name);
  if (!schema) return;
  const fields = fieldsOf(schema);
  const rules = await ctx.db.rows<Rule>(sql`
    SELECT ${ruleColumns} FROM notification_rules r WHERE is_active AND event = ${event.name} ORDER BY id`);
  const matching = rules.filter(({ conditions }) => meetsConditions(fields, conditions, payload));
  if (matching.length === 0) return;
  const path = customerPathIn(fields);
  await ctx.tx(async (tx) => {
    const customer = path === undefined ? undefined : await lockContact(tx, valueAt(payload, path));
    for (const rule of matching) await applyRule(tx, rule, { payload, customer, event });
  });
}

/** Locked, so that a message is stored before the customer is erased or not at all. */
async function lockContact(ctx: Ctx, id: unknown): Promise<Contact | undefined> {
  const customers = await ctx.helpers('customers');
  const current = typeof id === 'string' ? await customers?.lock({ id }) : undefined;
  if (!customers || current === undefined) return undefined;
  return (await customers.listContacts({ ids: [current], unmasked: true })).get(current);
}

interface Occurrence extends Subject {
  readonly event: Delivery;
}

async function applyRule(ctx: Ctx, rule: Rule, occurrence: Occurrence): Promise<void> {
  const skipped =
    rule.channel === 'in_app' ? await notifyTeam(ctx, rule, occurrence) : await write(ctx, rule, occurrence);
  if (skipped === undefined) return;
  const fields = { tenant: ctx.tenant.id, rule: rule.id, event: occurrence.event.name, channel: rule.channel };
  ctx.log.warn(fields, `a notification was skipped: ${skipped}`);
}

const nothing = { subject: null, body: null };

/** Returns the reason if the message was skipped. */
async function write(ctx: Ctx, rule: Rule, { payload, customer, event }: Occurrence): Promise<string | undefined> {
  const channel = rule.channel as 'email' | 'sms' | 'whatsapp';
  const recipient = (channel === 'email' ? customer?.email : customer?.phone) ?? null;
  const missing = channel === 'email' ? 'email address' : 'phone number';
  const reason = customer ? `The customer has no ${missing}.` : 'The customer does not exist any more.';
  const content = recipient === null ? nothing : render(rule, { payload, customer });
  const id = await queueMessage(ctx, {
    ...{ channel, provider: await providerFor(ctx, channel), recipient, ...content },
    ...{ customer_id: customer?.id ?? null, rule_id: rule.id, event_id: event.id },
    ...(recipient === null ? { status: 'skipped', reason } : {}),
  });
  return id !== undefined && recipient === null ? reason : undefined;
}

/** Members may not see phones and street addresses, so the message has none. */
async function notifyTeam(ctx: Ctx, rule: Rule, occurrence: Occurrence): Promise<string | undefined> {
  const { customer, event } = occurrence;
  const masked = {
    payload: JSON.parse(JSON.stringify(occurrence.payload), maskField),
    customer: customer && { ...customer, phone: customer.phone && maskDigits(customer.phone) },
  };
  const { subject, body } = render(rule, masked);
  const users = await membersFor(ctx, rule.recipient);
  const reason = 'No member of the team is the recipient.';
  const id = await queueMessage(ctx, {
    ...{ channel: 'in_app', provider: 'in_app', recipient: describe(rule.recipient), subject, body },
    ...{ customer_id: customer?.id ?? null, rule_id: rule.id, event_id: event.id },
    ...(users.length === 0 ? { ...nothing, status: 'skipped', reason } : { status: 'sent' }),
  });
  if (id === undefined) return undefined;
  if (users.length === 0) return reason;
  const title = subject || ctx.declaredEvents[event.name]?.summary || event.name;
  await notifyMembers(ctx, users, {
    type: event.name,
    title,
    body,
    customer_id: customer?.id ?? null,
    ...linkTo(masked),
  });
  return undefined;
}

function maskField(name: string, value: unknown): unknown {
  if (/phone$/.test(name) && typeof value === 'string') return maskDigits(value);
  return /^address[12]$/.test(name) ? null : value;
}

function describe(recipient: Rule['recipient']): string | null {
  if (recipient === 'customer') return null;
  return 'role' in recipient ? `role ${recipient.role}` : `user ${recipient.user_id}`;
}

async function membersFor(ctx: Ctx, recipient: Rule['recipient']): Promise<number[]> {
  if (recipient === 'customer') return [];
  const identity = await ctx.helpers('identity');
  const members = await identity?.members(
    'role' in recipient ? { role: recipient.role } : { ids: [recipient.user_id] },
  );
  return [...(members?.keys() ?? [])];
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
