import type { Ctx, Issues, TSchema } from '@chowk/kit';
import { checkConditions, operatorsFor } from './conditions.ts';
import { concernsOrder, customerPathIn, type EventFields, readFields } from './event-fields.ts';
import { isSensitiveName, requireAccess, viewSensitive } from './rule-access.ts';
import type { NewRule, RuleEvent } from './rule-schemas.ts';
import { placeholdersIn } from './templates.ts';

const customerPlaceholders = ['customer_name', 'customer_phone', 'customer_email'];
const orderPlaceholders = ['order_number', 'total'];
const shipmentPlaceholders = ['tracking_number', 'tracking_url'];
const refundPlaceholders = ['refund_amount'];
/** Bounds the size of a text: a value can have 20,000 characters. */
const maxPlaceholders = 50;

/** Names that templates for the event can use besides the paths of its fields. */
export function placeholdersFor(fields: EventFields): string[] {
  return [
    ...(customerPathIn(fields) === undefined ? [] : customerPlaceholders),
    ...(concernsOrder(fields) ? orderPlaceholders : []),
    ...(fields.has('shipment.tracking_number') ? shipmentPlaceholders : []),
    ...(fields.has('refund.amount') ? refundPlaceholders : []),
  ];
}

/** Problems that the schema cannot express. */
export async function checkRule(ctx: Ctx, rule: Partial<NewRule>, issues: Issues): Promise<void> {
  if (rule.channel === 'email' && rule.template && rule.template.subject === null) {
    issues.add('template.subject', 'An email must have a subject.', 'required');
  }
  await checkRecipient(ctx, rule, issues);
  if (rule.purpose === 'marketing' && rule.channel === 'in_app') {
    issues.add('purpose', 'Marketing messages go to customers.', 'not_allowed');
  }
  if (rule.event === undefined) return;
  const payload = findPayload(ctx, rule.event);
  if (!payload) {
    issues.add(
      'event',
      `There is no event ${rule.event}. GET /api/v1/notification-rules/events lists them.`,
      'unknown',
    );
    return;
  }
  await requireAccess(ctx, rule);
  const fields = readFields(payload);
  if (rule.recipient === 'customer' && rule.channel !== 'in_app' && customerPathIn(fields) === undefined) {
    issues.add('recipient', `The event ${rule.event} concerns no customer.`, 'not_allowed');
  }
  if (Array.isArray(rule.conditions)) checkConditions(fields, rule.conditions, issues);
  if (rule.template) checkTemplate(fields, rule.template, issues);
}

/** `undefined` if there is no such event for rules. */
export function findPayload(ctx: Ctx, event: string): TSchema | undefined {
  const isDeclared = Object.hasOwn(ctx.declaredEvents, event) && !isCausedByRules(event);
  return isDeclared ? ctx.declaredEvents[event]?.payload : undefined;
}

/** A rule for such an event would cause itself. */
function isCausedByRules(event: string): boolean {
  return event.startsWith('notification.');
}

async function checkRecipient(ctx: Ctx, { channel, recipient }: Partial<NewRule>, issues: Issues): Promise<void> {
  if (channel === undefined || recipient === undefined) return;
  if (recipient === 'customer') {
    if (channel === 'in_app')
      issues.add('recipient', 'Customers have no account: name a user_id or a role.', 'required');
    return;
  }
  if (channel !== 'in_app') {
    issues.add('recipient', 'Only in_app is for members of the team.', 'not_allowed');
    return;
  }
  if ('role' in recipient) {
    const isKnown = await ctx.bus.call('identity.hasRole', { name: recipient.role });
    if (!isKnown) issues.add('recipient.role', `There is no role ${recipient.role}.`, 'unknown');
  } else if ('user_id' in recipient) {
    const members = await ctx.bus.call('identity.members', { ids: [recipient.user_id] });
    if (members.length === 0) {
      issues.add('recipient.user_id', `The user ${recipient.user_id} is not a member of the team.`, 'unknown');
    }
  }
}

function checkTemplate(fields: EventFields, template: NewRule['template'], issues: Issues): void {
  const known = new Set([...placeholdersFor(fields), ...fields.keys()]);
  for (const name of ['subject', 'body'] as const) {
    const all = placeholdersIn(template[name] ?? '');
    if (all.length > maxPlaceholders) {
      issues.add(`template.${name}`, `A template can have at most ${maxPlaceholders} placeholders.`, 'too_many');
    }
    const unknown = [...new Set(all)].filter((used) => !known.has(used));
    if (unknown.length > 0) {
      const names = unknown.map((used) => `{{${used}}}`).join(', ');
      issues.add(`template.${name}`, `This event has no value for ${names}.`, 'unknown');
    }
  }
}

/** What the rules of the caller can listen to, for forms. */
export async function listRuleEvents(ctx: Ctx): Promise<{ events: RuleEvent[] }> {
  const audience = await ctx.audience();
  const allowed = Object.entries(audience.events).filter(([name]) => !isCausedByRules(name));
  const events = allowed.map(([name, event]): RuleEvent => {
    const { summary, payload } = event;
    const isVisible = (field: string) => audience.can(viewSensitive) || !isSensitiveName(event, field);
    const fields = new Map([...readFields(payload)].filter(([path]) => isVisible(path)));
    const isAboutCustomer = customerPathIn(fields) !== undefined;
    return {
      name,
      summary,
      channels: isAboutCustomer ? ['in_app', 'email', 'sms', 'whatsapp'] : ['in_app'],
      placeholders: [...placeholdersFor(fields), ...fields.keys()].filter(isVisible),
      fields: [...fields].map(([path, field]) => ({
        path,
        type: field.isList ? 'list' : field.kind,
        operators: [...operatorsFor(field)],
        values: field.values ? [...field.values] : null,
      })),
    };
  });
  return { events: events.sort((one, other) => (one.name < other.name ? -1 : 1)) };
}
