import { byTime, type Ctx, columnsFor, equals, list, type Sql, sql, Uuid } from '@chowk/kit';
import { RuleDelivery } from './rule-schemas.ts';
import { getRule } from './rules.ts';

const recipient = sql`
  CASE WHEN m.channel IN ('sms', 'whatsapp')
    THEN regexp_replace(left(m.recipient, -2), '\\d', '*', 'g') || right(m.recipient, 2) ELSE m.recipient END`;
/** A text can contain phone and address. */
const masks = {
  recipient,
  subject: sql`CASE WHEN m.channel = 'in_app' THEN m.subject END`,
  body: sql`CASE WHEN m.channel = 'in_app' THEN m.body END`,
};

/** From a row of `messages m`. */
export function deliveryColumns(ctx: Ctx): Sql {
  return columnsFor(RuleDelivery, sql`m`, ctx.can('customers.view_sensitive') ? {} : masks);
}

const deliveryList = list({
  name: 'deliveries',
  row: RuleDelivery,
  from: sql`messages m`,
  alias: sql`m`,
  columns: deliveryColumns,
  scope: { id: equals(Uuid, sql`m.rule_id`) },
  filters: { status: equals(RuleDelivery.properties.status, sql`m.status`) },
  sorts: { created_at: byTime(sql`m.created_at`) },
});

export const pagedDeliveries = {
  ...deliveryList.paged,
  run: async (ctx: Ctx, query: Parameters<typeof deliveryList.page>[1]) => {
    await getRule(ctx, query);
    return deliveryList.page(ctx, query);
  },
};
