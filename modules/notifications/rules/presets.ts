import { type Ctx, type Issues, sql } from '@chowk/kit';
import { fail } from '../errors.ts';
import { checkRule, findPayload } from './rule-check.ts';
import type { NewRule, PresetSwitch, Rule, RulePreset } from './rule-schemas.ts';
import { checkChanges, createRule, ruleColumns, updateRule } from './rules.ts';

function mail(event: string, conditions: NewRule['conditions'], name: string, template: NewRule['template']): NewRule {
  const purpose = 'transactional';
  return { name, event, conditions, channel: 'email', template, purpose, recipient: 'customer', is_active: true };
}

/** Mails to customers that a tenant can switch on. */
const presets: Readonly<Record<string, NewRule>> = {
  order_received: mail(
    'order.created',
    [{ field: 'order.status', operator: 'in', value: ['pending', 'confirmed', 'processing'] }],
    'Order received',
    {
      subject: 'We have received your order {{order_number}}',
      body: 'Hello {{customer_name}},\n\nthank you for your order {{order_number}} of {{total}}.\nWe will write to you when it is on its way.',
    },
  ),
  order_confirmed: mail(
    'order.status_changed',
    [{ field: 'order.status', operator: 'eq', value: 'confirmed' }],
    'Order confirmed',
    {
      subject: 'Your order {{order_number}} is confirmed',
      body: 'Hello {{customer_name}},\n\nyour order {{order_number}} of {{total}} is confirmed.\nWe will write to you when it is on its way.',
    },
  ),
  order_shipped: mail('order.shipped', [{ field: 'notify', operator: 'eq', value: true }], 'Order shipped', {
    subject: 'Your order {{order_number}} is on its way',
    body: 'Hello {{customer_name}},\n\nitems of your order {{order_number}} are on their way.\n\nTracking number: {{tracking_number}}\n{{tracking_url}}',
  }),
  // A refund by a provider may still fail when it is recorded.
  order_refunded: mail(
    'order.refund_settled',
    [{ field: 'refund.status', operator: 'eq', value: 'succeeded' }],
    'Order refunded',
    {
      subject: 'Refund of your order {{order_number}}',
      body: 'Hello {{customer_name}},\n\nwe have refunded {{refund_amount}} of your order {{order_number}}.\nIt can take some days until you see the amount in your account.',
    },
  ),
};

/** Those whose event a module of the platform emits. */
export async function listPresets(ctx: Ctx): Promise<{ presets: RulePreset[] }> {
  const rules = await ctx.db.rows<Rule>(sql`
    SELECT ${ruleColumns} FROM notification_rules r WHERE preset IS NOT NULL`);
  const known = Object.entries(presets).filter(([, { event }]) => findPayload(ctx, event));
  return {
    presets: known.map(([key, preset]) => {
      const rule = rules.find((one) => one.preset === key);
      const { name, event, conditions, channel, template } = rule ?? preset;
      const isActive = rule?.is_active ?? false;
      return { key, name, event, conditions, channel, template, rule_id: rule?.id ?? null, is_active: isActive };
    }),
  };
}

interface Plan {
  readonly preset: NewRule;
  readonly edit: Awaited<ReturnType<typeof checkChanges>>;
}

/** Others who switch it on at once wait for the lock, and find the rule then. */
export async function checkPreset(
  ctx: Ctx,
  { key, template }: Partial<PresetSwitch>,
  issues: Issues,
): Promise<Plan | undefined> {
  if (key === undefined) return undefined;
  const known = Object.hasOwn(presets, key) ? presets[key] : undefined;
  if (!known || !findPayload(ctx, known.event)) throw fail('notifications.preset_not_found', { key });
  const preset = { ...known, template: template ?? known.template };
  await ctx.db.run(sql`LOCK TABLE notification_rules IN SHARE ROW EXCLUSIVE MODE`);
  const rule = await ctx.db.row<Rule>(sql`SELECT ${ruleColumns} FROM notification_rules r WHERE preset = ${key}`);
  if (!rule) {
    await checkRule(ctx, preset, issues);
    return { preset, edit: undefined };
  }
  // With the template, so that the rule counts as saved by the caller.
  const changes = { template: template ?? rule.template, is_active: true };
  return { preset, edit: await checkChanges(ctx, { id: rule.id, ...changes }, issues) };
}

/** Keeps what was changed in the rule since it was made. */
export function switchOnPreset(ctx: Ctx, { key, template }: PresetSwitch, { preset, edit }: Plan): Promise<Rule> {
  if (!edit) return createRule(ctx, preset, key);
  return updateRule(ctx, { id: edit.current.id, is_active: true, ...(template && { template }) }, edit);
}
