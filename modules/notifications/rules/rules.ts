import {
  byTime,
  type Ctx,
  changesBetween,
  columnsFor,
  equals,
  type Issues,
  Line,
  list,
  pickFields,
  removedFields,
  search,
  sql,
  Type,
} from '@chowk/kit';
import { fail } from '../errors.ts';
import { checkRule } from './rule-check.ts';
import { Channel, NewRule, type Recipient, Rule, type RuleChanges } from './rule-schemas.ts';

type Key = { readonly id: string };

const maxRules = 200;

/** From a row of `notification_rules r`. */
export const ruleColumns = columnsFor(Rule, sql`r`, {
  template: sql`jsonb_build_object('subject', r.subject, 'body', r.body)`,
  recipient: sql`
    CASE WHEN r.recipient_user_id IS NOT NULL THEN jsonb_build_object('user_id', r.recipient_user_id)
      WHEN r.recipient_role IS NOT NULL THEN jsonb_build_object('role', r.recipient_role)
      ELSE '"customer"'::jsonb END`,
});

export const ruleList = list({
  name: 'rules',
  row: Rule,
  from: sql`notification_rules r`,
  alias: sql`r`,
  columns: ruleColumns,
  filters: {
    search: search('Words in the name.', sql`fold(coalesce(r.name, ''))`),
    event: equals(Line(100), sql`r.event`),
    channel: equals(Channel, sql`r.channel`),
    is_active: equals(Type.Boolean(), sql`r.is_active`),
  },
  sorts: { created_at: byTime(sql`r.created_at`) },
});

export async function getRule(ctx: Ctx, { id }: Key): Promise<Rule> {
  const rule = await ctx.db.row<Rule>(sql`SELECT ${ruleColumns} FROM notification_rules r WHERE id = ${id}`);
  if (!rule) throw fail('notifications.rule_not_found', { id });
  return rule;
}

export async function createRule(ctx: Ctx, input: NewRule, preset: string | null = null): Promise<Rule> {
  const [id, now] = [ctx.newId(), ctx.now()];
  // Two at once must not exceed the maximum.
  await ctx.db.run(sql`LOCK TABLE notification_rules IN SHARE ROW EXCLUSIVE MODE`);
  const row = await ctx.db.row<{ count: number }>(sql`SELECT count(*) AS count FROM notification_rules`);
  if (row && row.count >= maxRules) throw fail('notifications.too_many_rules', { max: maxRules });
  const { name, event, conditions, channel, template, purpose, recipient, is_active } = input;
  const { userId, role } = recipientColumns(recipient);
  return (await ctx.db.row<Rule>(sql`
    INSERT INTO notification_rules AS r (id, name, event, conditions, channel, subject, body, recipient_user_id,
      recipient_role, purpose, is_active, saved_by, preset, created_at, updated_at)
    VALUES (${id}, ${name}, ${event}, ${JSON.stringify(conditions)}::jsonb, ${channel}, ${template.subject},
      ${template.body}, ${userId}, ${role}, ${purpose}, ${is_active}, ${ctx.userId ?? null}, ${preset}, ${now}, ${now})
    RETURNING ${ruleColumns}`)) as Rule;
}

interface Edit {
  readonly current: Rule;
  readonly rule: NewRule;
  readonly savedBy: number | null;
}

export async function checkChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<RuleChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  if (id === undefined) return undefined;
  const current = await lockRule(ctx, { id });
  const rule = { ...pickFields(NewRule, current), ...changes } as NewRule;
  // A rule whose user or role is gone can still be switched off.
  const { is_active: _, name: __, ...others } = changes;
  if (Object.keys(others).length === 0) return { current, rule, savedBy: current.saved_by };
  await checkRule(ctx, rule, issues);
  return { current, rule, savedBy: ctx.userId ?? null };
}

export async function updateRule(ctx: Ctx, { id, ...changes }: RuleChanges, edit: Edit): Promise<Rule> {
  const { current, rule, savedBy } = edit;
  ctx.audit(changesBetween<Rule>(current, changes));
  const { userId, role } = recipientColumns(rule.recipient);
  return (await ctx.db.row<Rule>(sql`
    UPDATE notification_rules r SET name = ${rule.name}, event = ${rule.event},
      conditions = ${JSON.stringify(rule.conditions)}::jsonb, channel = ${rule.channel},
      subject = ${rule.template.subject}, body = ${rule.template.body}, recipient_user_id = ${userId},
      recipient_role = ${role}, purpose = ${rule.purpose}, is_active = ${rule.is_active}, saved_by = ${savedBy}, updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${ruleColumns}`)) as Rule;
}

export async function deleteRule(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const rule = await lockRule(tx, { id });
    await tx.db.run(sql`DELETE FROM notification_rules WHERE id = ${id}`);
    tx.audit(removedFields(rule));
  });
}

async function lockRule(ctx: Ctx, { id }: Key): Promise<Rule> {
  const rule = await ctx.db.row<Rule>(sql`SELECT ${ruleColumns} FROM notification_rules r WHERE id = ${id} FOR UPDATE`);
  if (!rule) throw fail('notifications.rule_not_found', { id });
  ctx.mustMatch(rule);
  return rule;
}

function recipientColumns(recipient: Recipient): { userId: number | null; role: string | null } {
  if (recipient === 'customer') return { userId: null, role: null };
  return 'role' in recipient ? { userId: null, role: recipient.role } : { userId: recipient.user_id, role: null };
}

export function turnOffRulesSavedBy(ctx: Ctx, { user_id, since }: { user_id: number; since: string }): Promise<number> {
  return ctx.db.run(sql`
    UPDATE notification_rules SET is_active = false, updated_at = ${ctx.now()}
    WHERE is_active AND saved_by = ${user_id} AND updated_at >= ${since}`);
}
