import { type Ctx, fromCents, type Issues, NamedObject, type Static, Type, toCents } from '@chowk/kit';
import { findOrder } from './orders.ts';
import { type OrderChanges, OrderMoney } from './schemas.ts';
import { checkEdit, type Edit } from './update.ts';

export const OrderChangesPreview = NamedObject('OrderChangesPreview', {
  currency: Type.String({ examples: ['INR'] }),
  ...OrderMoney.properties,
  difference: Type.String({
    pattern: '^-?\\d+\\.\\d{2,3}$',
    description: 'How much more the order would cost; negative if it would cost less.',
    examples: ['-250.00'],
  }),
});
type OrderChangesPreview = Static<typeof OrderChangesPreview>;

export async function checkPreviewedChanges(
  ctx: Ctx,
  input: Partial<OrderChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  return input.id === undefined ? undefined : checkEdit(ctx, await findOrder(ctx, input.id), input, issues);
}

/** What the order would cost with the changes. Changes nothing. */
export async function previewChanges(
  _ctx: Ctx,
  _input: OrderChanges,
  { current, price }: Edit,
): Promise<OrderChangesPreview> {
  const { currency } = current;
  const priced = { ...current, ...price?.fields };
  const money = Object.keys(OrderMoney.properties).map((name) => [name, priced[name as keyof OrderMoney]]);
  const more = toCents(priced.total, currency) - toCents(current.total, currency);
  const difference = `${more < 0n ? '-' : ''}${fromCents(more < 0n ? -more : more, currency)}`;
  return { currency, ...(Object.fromEntries(money) as OrderMoney), difference };
}
