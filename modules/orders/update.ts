import type { Ctx, Issues } from '@chowk/kit';
import { redeemCodes, usesCodes } from './discount-codes.ts';
import { type PriceEdit, priceChanges } from './edit-items.ts';
import { followUnits } from './fulfillment.ts';
import { addressToStore, maskOrder } from './masking.ts';
import { followStock } from './order-stock.ts';
import { lockOrder } from './orders.ts';
import { settlePayments } from './payment-rows.ts';
import { readKeptItems, readRefundedUnits } from './refunded-units.ts';
import { currencyProblem, mustBeAllowed, statusProblem, totalProblem } from './rules.ts';
import { type ItemRow, mustBeOpen, type OrderEdit, saveOrder } from './save.ts';
import type { Order, OrderChanges, Status, StatusChange } from './schemas.ts';
import { checkEditedItems, readFulfillment, withShipped } from './shipped-units.ts';
import { transition } from './transition.ts';

export interface Edit {
  readonly current: Order;
  readonly price: PriceEdit | undefined;
}

export async function checkChanges(ctx: Ctx, input: Partial<OrderChanges>, issues: Issues): Promise<Edit | undefined> {
  return input.id === undefined ? undefined : checkEdit(ctx, await lockOrder(ctx, input.id), input, issues);
}

export async function checkEdit(ctx: Ctx, current: Order, input: Partial<OrderChanges>, issues: Issues): Promise<Edit> {
  const { status, currency, placed_at } = input;
  const price = await priceChanges(ctx, current, input, issues);
  mustBeOpen(current, { ...price?.fields, ...(placed_at === undefined ? {} : { placed_at }) });
  const { items } = price?.fields ?? {};
  if (items) checkEditedItems(current, items, await readRefundedUnits(ctx, current.id), issues);
  const problems = { currency: currencyProblem(current, currency), total: totalProblem(current, price?.fields.total) };
  for (const [field, problem] of Object.entries(problems)) if (problem) issues.add(field, problem);
  checkTransition(ctx, current, status, issues);
  return { current, price };
}

export async function updateOrder(ctx: Ctx, input: OrderChanges, { current, price }: Edit): Promise<Order> {
  const { status, shipping_address, billing_address, note, metadata, external_ids, placed_at, payment_method } = input;
  const addresses = {
    ...(shipping_address === undefined
      ? {}
      : { shipping_address: addressToStore(ctx, shipping_address, current.shipping_address) }),
    ...(billing_address === undefined
      ? {}
      : { billing_address: addressToStore(ctx, billing_address, current.billing_address) }),
  };
  const others = Object.entries({ note, metadata, external_ids, placed_at, payment_method }).filter(
    ([, value]) => value !== undefined,
  );
  if (price?.fields.items) await followStock(ctx, { ...current, items: price.fields.items });
  if (price?.codes && usesCodes(current.status)) await redeemCodes(ctx, current, price.codes);
  const amounts = { ...price?.fields, ...(await paidPart(ctx, current, price?.fields.total)) };
  const fulfillment = price?.fields.items && (await editedFulfillment(ctx, current, price.fields.items));
  const updated = await saveOrder(ctx, {
    current,
    fields: { ...Object.fromEntries(others), ...addresses, ...amounts, ...fulfillment },
  });
  const isFollowed = fulfillment && status === undefined;
  const order = isFollowed ? followUnits(ctx, updated) : transition(ctx, updated, status ?? updated.status);
  return maskOrder(ctx, await order);
}

async function editedFulfillment(ctx: Ctx, current: Order, items: readonly ItemRow[]): Promise<OrderEdit> {
  const kept = await readKeptItems(ctx, { ...current, items: withShipped(current, items) });
  return { fulfillment_status: readFulfillment(kept) };
}

/** What was paid beyond a lower total becomes excess, and counts again if the total rises. */
async function paidPart(ctx: Ctx, current: Order, total = current.total): Promise<OrderEdit> {
  return total === current.total ? {} : { paid_total: await settlePayments(ctx, { ...current, total }) };
}

export async function checkStatus(
  ctx: Ctx,
  { id, status }: Partial<StatusChange>,
  issues: Issues,
): Promise<Order | undefined> {
  if (id === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  checkTransition(ctx, current, status, issues);
  return current;
}

export async function updateStatus(ctx: Ctx, { status, reason }: StatusChange, current: Order): Promise<Order> {
  return maskOrder(ctx, await transition(ctx, current, status, reason));
}

function checkTransition(ctx: Ctx, current: Order, status: Status | undefined, issues: Issues): void {
  if (status === undefined || status === current.status) return;
  mustBeAllowed(ctx, status);
  const problem = statusProblem(current, status);
  if (problem) issues.add('status', problem);
}
