import { type Ctx, Email, forbidden, invalid, sql, type TSchema, Type } from '@chowk/kit';
import { queueMessage } from '../messages/messages.ts';
import { Phone } from '../schemas.ts';
import { notifyMembers, transportFor } from './apply-rules.ts';
import { meetsConditions } from './conditions.ts';
import { concernsOrder, readFields, samplePayload } from './event-fields.ts';
import { type Contact, render, type Subject } from './render-rule.ts';
import { findPayload } from './rule-check.ts';
import { deliveryColumns } from './rule-deliveries.ts';
import type { NewRule, Rule, RuleDelivery, RulePreview, RuleTest } from './rule-schemas.ts';
import { getRule } from './rules.ts';

const sampleCustomer: Contact = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  first_name: 'Meera',
  last_name: 'Iyer',
  email: 'meera@example.com',
  phone: '+919876543210',
};

const EmailRecipient = Type.Object({ to: Email });
const PhoneRecipient = Type.Object({ to: Phone });
const noFields = Type.Object({});

/** Uses the latest order if the event concerns an order that the caller may see, else made-up data. */
export async function previewRule(ctx: Ctx, rule: NewRule): Promise<RulePreview> {
  const fields = readFields(findPayload(ctx, rule.event) as TSchema);
  const latest = concernsOrder(fields) ? await latestOrder(ctx) : undefined;
  const subject: Subject = latest
    ? { payload: { ...samplePayload(fields), order: latest.order }, customer: latest.customer }
    : createSample(ctx, rule);
  const isMatch = meetsConditions(fields, rule.conditions, subject.payload);
  return { ...render(rule, subject), is_match: isMatch, source: latest ? 'latest_order' : 'sample' };
}

function createSample(ctx: Ctx, { event }: Pick<Rule, 'event'>): Subject {
  return { payload: samplePayload(readFields(findPayload(ctx, event) ?? noFields)), customer: sampleCustomer };
}

/** Masked as for the caller. */
async function latestOrder(ctx: Ctx): Promise<{ order: object; customer: Contact | undefined } | undefined> {
  const isVisible = ctx.can('orders.view') && ctx.can('customers.view') && (await ctx.bus.isInstalled('orders.list'));
  if (!isVisible) return undefined;
  const { orders } = await ctx.bus.call('orders.list', { per_page: 1 });
  const [order] = orders;
  return order && { order, customer: order.customer ?? undefined };
}

/** Sends made-up data: a test must not reveal data of a customer. */
export async function testRule(ctx: Ctx, { id, to }: RuleTest): Promise<RuleDelivery> {
  const rule = await getRule(ctx, { id });
  if (to !== undefined && !ctx.can('notifications.send')) throw forbidden('notifications.send');
  const recipient = readRecipient(ctx, rule, to);
  const content = render(rule, createSample(ctx, rule));
  return ctx.tx(async (tx) => {
    const message = {
      recipient,
      ...content,
      customer_id: null,
      rule_id: id,
      event_id: null,
      purpose: 'transactional' as const,
    };
    const stored = await queueMessage(tx, { ...message, ...(await transportFor(tx, rule.channel)) });
    if (rule.channel === 'in_app') {
      const title = content.subject || 'Test of a rule';
      const notice = { type: rule.event, title, body: content.body, customer_id: null, action_url: null, data: null };
      await notifyMembers(tx, [tx.user.id], notice);
    }
    return (await tx.db.row<RuleDelivery>(sql`
      SELECT ${deliveryColumns(tx)} FROM messages m WHERE id = ${stored?.id}`)) as RuleDelivery;
  });
}

function readRecipient(ctx: Ctx, { channel }: Rule, to: string | undefined): string {
  if (channel === 'in_app') {
    if (to !== undefined) throw invalid({ to: { code: 'not_allowed', message: 'The test is sent to your account.' } });
    return `user ${ctx.user.id}`;
  }
  const address = { to: to ?? (channel === 'email' ? ctx.user.signInEmail : null) };
  if (address.to === null)
    throw invalid({ to: { code: 'required', message: 'The recipient of the test is required.' } });
  const errors = ctx.check(channel === 'email' ? EmailRecipient : PhoneRecipient, address);
  if (errors) throw invalid(errors);
  return address.to;
}
