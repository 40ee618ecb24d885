import { type Ctx, fromCents, type Issues, toCents } from '@chowk/kit';
import { followCodes, redeemCodes } from './discount-codes.ts';
import { type PriceEdit, priceChanges } from './edit-items.ts';
import { addressToStore, maskOrder } from './masking.ts';
import { followStock } from './order-stock.ts';
import { lockOrder } from './orders.ts';
import { emitRefund } from './payment-operations.ts';
import { currencyProblem, mustBeAllowed, remainingTotal, statusProblem, totalProblem } from './rules.ts';
import { mustBeOpen, saveOrder } from './save.ts';
import type { Order, OrderChanges, OrderRefund, Status, StatusChange } from './schemas.ts';

interface Edit {
  readonly current: Order;
  readonly price: PriceEdit | undefined;
}

export async function checkChanges(ctx: Ctx, input: Partial<OrderChanges>, issues: Issues): Promise<Edit | undefined> {
  const { id, status, currency, placed_at } = input;
  if (id === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  const price = await priceChanges(ctx, current, input, issues);
  mustBeOpen(current, { ...price?.fields, ...(placed_at === undefined ? {} : { placed_at }) });
  const problems = { currency: currencyProblem(current, currency), total: totalProblem(current, price?.fields.total) };
  for (const [field, problem] of Object.entries(problems)) if (problem) issues.add(field, problem);
  checkTransition(ctx, current, status, issues);
  return { current, price };
}

export async function updateOrder(ctx: Ctx, input: OrderChanges, { current, price }: Edit): Promise<Order> {
  const { status, shipping_address, billing_address, note, metadata, external_ids, placed_at } = input;
  const addresses = {
    ...(shipping_address === undefined
      ? {}
      : { shipping_address: addressToStore(ctx, shipping_address, current.shipping_address) }),
    ...(billing_address === undefined
      ? {}
      : { billing_address: addressToStore(ctx, billing_address, current.billing_address) }),
  };
  const others = Object.entries({ note, metadata, external_ids, placed_at }).filter(([, value]) => value !== undefined);
  if (price?.fields.items) await followStock(ctx, { ...current, items: price.fields.items });
  if (price?.codes) await redeemCodes(ctx, current, price.codes);
  const updated = await saveOrder(ctx, current, { ...Object.fromEntries(others), ...addresses, ...price?.fields });
  return maskOrder(ctx, status === undefined ? updated : await transition(ctx, updated, status));
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

/** The status `refunded` refunds the remaining total. */
async function transition(ctx: Ctx, current: Order, status: Status, reason?: string): Promise<Order> {
  if (status === current.status) return current;
  await followStock(ctx, { ...current, status });
  await followCodes(ctx, current, status);
  const refunded = status === 'refunded' ? { refunded_total: current.total } : {};
  return saveOrder(ctx, current, { status, ...refunded }, reason);
}

export async function checkRefund(
  ctx: Ctx,
  { id, amount }: Partial<OrderRefund>,
  issues: Issues,
): Promise<Order | undefined> {
  if (id === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  checkAmount(current, amount, issues);
  return current;
}

export async function refundOrder(ctx: Ctx, { amount, reason }: OrderRefund, current: Order): Promise<Order> {
  const isFull = amount === undefined || amount === remainingTotal(current);
  const change = isFull
    ? transition(ctx, current, 'refunded', reason)
    : saveOrder(ctx, current, { refunded_total: fromCents(toCents(current.refunded_total) + toCents(amount)) }, reason);
  const order = await change;
  await emitRefund(ctx, order, amount ?? remainingTotal(current));
  return maskOrder(ctx, order);
}

function checkAmount(order: Order, amount: string | undefined, issues: Issues): void {
  const isRefunded = order.status === 'refunded';
  const problem = isRefunded ? 'The order is already refunded.' : statusProblem(order, 'refunded');
  const remaining = remainingTotal(order);
  if (problem) issues.add('status', problem);
  else if (amount === '0.00') issues.add('amount', 'The amount must be more than 0.', 'too_small');
  else if (amount !== undefined && toCents(amount) > toCents(remaining)) {
    issues.add('amount', `The amount must be at most ${remaining}, the amount that is not refunded yet.`, 'too_large');
  }
}
