import { byTime, type Ctx, columnsFor, equals, Failure, type Issues, list, sql, toCents, Uuid } from '@chowk/kit';
import { findKeys } from './accounts.ts';
import { fail } from './errors.ts';
import type { Keys, NewLink } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import { type LinkKey, LinkStatus, type NewPaymentLink, PaymentLink, type ProviderName } from './schemas.ts';

const columns = columnsFor(PaymentLink, sql`l`);

/** The statuses in which a customer can pay, or has begun to. */
const isLive = sql`status IN ('creating', 'open', 'processing')`;
const closedOrders: ReadonlySet<string> = new Set(['cancelled', 'failed', 'refunded']);
/** After this time nobody waits for the response of the provider any more. */
const creationMs = 10 * 60_000;

const linkList = list({
  name: 'payment_links',
  row: PaymentLink,
  from: sql`payment_links l`,
  alias: sql`l`,
  columns,
  scope: { id: equals(Uuid, sql`l.order_id`) },
  filters: { status: equals(LinkStatus, sql`l.status`) },
  sorts: { created_at: byTime(sql`l.created_at`) },
});

export const pagedLinks = {
  ...linkList.paged,
  run: async (ctx: Ctx, query: Parameters<typeof linkList.page>[1]) => {
    await ctx.bus.call('orders.getForPayment', { order_id: query.id });
    return linkList.page(ctx, query);
  },
};

type PayableOrder = Awaited<ReturnType<typeof findOrder>>;

interface Checked {
  readonly order: PayableOrder;
  readonly provider: ProviderName;
  readonly keys: Keys;
  readonly amount: string;
}

function findOrder(ctx: Ctx, id: string) {
  return ctx.bus.call('orders.getForPayment', { order_id: id });
}

export async function checkNewLink(
  ctx: Ctx,
  { id, amount: given }: Partial<NewPaymentLink>,
  issues: Issues,
): Promise<Checked | undefined> {
  if (id === undefined) return undefined;
  const order = await findOrder(ctx, id);
  if (closedOrders.has(order.status)) throw fail('payments.order_closed', order);
  const { provider, keys } = await chosenProvider(ctx);
  const amount = given ?? order.due_total;
  issues.checkDecimals('amount', amount, order.currency);
  const problem = findAmountProblem(order, amount) ?? providers[provider].findAmountProblem(amount, order.currency);
  if (problem !== undefined && !issues.has('amount')) issues.add('amount', problem);
  return { order, provider, keys, amount };
}

function findAmountProblem({ currency, due_total }: PayableOrder, amount: string): string | undefined {
  const units = toCents(amount, currency);
  if (toCents(due_total, currency) === 0n) return 'Nothing is due: the order is paid.';
  if (units === 0n) return 'The amount must be more than 0.';
  return units > toCents(due_total, currency) ? `The amount must be at most ${due_total}, which is due.` : undefined;
}

async function chosenProvider(ctx: Ctx): Promise<{ provider: ProviderName; keys: Keys }> {
  const { 'payments.provider': provider } = await ctx.settings();
  const keys = provider === 'none' ? undefined : await findKeys(ctx, provider);
  if (provider === 'none' || !keys) throw fail('payments.not_configured');
  return { provider, keys };
}

/** The link is stored before the provider is asked, so that a second request continues the first one with the same id. */
export async function createLink(ctx: Ctx, _input: NewPaymentLink, checked: Checked): Promise<PaymentLink> {
  const { order, provider, keys } = checked;
  const link = await ctx.tx((tx) => claimLink(tx, checked));
  if (link.status !== 'creating') return link;
  const outcome = await providers[provider].createLink(ctx, keys, await describeLink(ctx, link, order));
  const { title } = providers[provider];
  if (outcome.status === 'done') return openLink(ctx, link.id, outcome.value);
  if (outcome.status === 'unavailable') {
    const current = await findLink(ctx, { id: order.id, link: link.id });
    if (current.status === 'open') return current;
    throw fail('payments.unavailable', { provider: title, reason: outcome.reason });
  }
  await closeLink(ctx, link.id, 'failed', outcome.reason);
  throw fail('payments.refused', { provider: title, reason: outcome.reason });
}

/** Inserts a link, or returns the one that the order has for the amount. */
async function claimLink(ctx: Ctx, { order, provider, amount }: Checked): Promise<PaymentLink> {
  const customerId = await lockCustomer(ctx, order.id);
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + providers[provider].linkHours * 3_600_000);
  await ctx.db.run(sql`
    UPDATE payment_links SET status = CASE status WHEN 'creating' THEN 'failed' ELSE 'expired' END, updated_at = ${now}
    WHERE order_id = ${order.id} AND (status = 'open' AND expires_at <= ${now}
      OR status = 'creating' AND created_at <= ${new Date(now.getTime() - creationMs)})`);
  return (await ctx.db.row<PaymentLink>(sql`
    INSERT INTO payment_links AS l (id, order_id, customer_id, provider, amount, currency, status, expires_at, user_id, created_at,
      updated_at)
    VALUES (${ctx.newId()}, ${order.id}, ${customerId}, ${provider}, ${amount}::numeric, ${order.currency}, 'creating', ${expiresAt},
      ${ctx.userId ?? null}, ${now}, ${now})
    ON CONFLICT (order_id, provider, currency, amount) WHERE ${isLive} DO UPDATE SET customer_id = excluded.customer_id
    RETURNING ${columns}`)) as PaymentLink;
}

/** So that a merge or an erasure of the customer reaches the link. */
async function lockCustomer(ctx: Ctx, orderId: string): Promise<string> {
  const { customer_id } = await findOrder(ctx, orderId);
  await ctx.bus.callIfInstalled('customers.lock', { id: customer_id });
  return (await findOrder(ctx, orderId)).customer_id;
}

async function describeLink(ctx: Ctx, link: PaymentLink, { order_number, contact }: PayableOrder): Promise<NewLink> {
  const { 'payments.return_url': returnUrl } = await ctx.settings();
  const { first_name, last_name, email, phone } = contact;
  const name = [first_name, last_name].filter(Boolean).join(' ') || null;
  return {
    id: link.id,
    title: `Order ${order_number}`,
    amount: link.amount,
    currency: link.currency,
    expiresAt: new Date(link.expires_at),
    contact: { name, email, phone },
    returnUrl: returnUrl || `${ctx.tenantUrl}/api/v1/payments/thanks`,
  };
}

/** A callback may have been faster: it is paid then. */
async function openLink(ctx: Ctx, id: string, { id: providerId, url }: { id: string; url: string }) {
  return (await ctx.db.row<PaymentLink>(sql`
    UPDATE payment_links l SET provider_link_id = ${providerId}, updated_at = ${ctx.now()},
      url = CASE status WHEN 'cancelled' THEN l.url ELSE ${url} END,
      status = CASE status WHEN 'creating' THEN 'open' ELSE status END, failure = NULL
    WHERE id = ${id} RETURNING ${columns}`)) as PaymentLink;
}

async function closeLink(ctx: Ctx, id: string, status: 'failed' | 'cancelled', failure: string | null = null) {
  return ctx.db.row<PaymentLink>(sql`
    UPDATE payment_links l SET status = ${status}, failure = ${failure}, updated_at = ${ctx.now()}
    WHERE id = ${id} AND status IN ('creating', 'open') RETURNING ${columns}`);
}

type StoredLink = PaymentLink & { readonly provider_link_id: string | null };

async function findLink(ctx: Ctx, { id, link }: LinkKey): Promise<StoredLink> {
  const found = await ctx.db.row<StoredLink>(
    sql`SELECT ${columns}, l.provider_link_id FROM payment_links l WHERE id = ${link} AND order_id = ${id}`,
  );
  if (!found) throw fail('payments.link_not_found', { link });
  return found;
}

/** A closed order is not to be paid. */
export async function cancelIfClosed(
  ctx: Ctx,
  { order: { id, status } }: { readonly order: { readonly id: string; readonly status: string } },
): Promise<void> {
  if (closedOrders.has(status)) await queueCancellations(ctx, id);
}

export async function queueCancellations(ctx: Ctx, orderId: string): Promise<void> {
  const links = await ctx.db.rows<{ id: string }>(
    sql`SELECT id FROM payment_links WHERE order_id = ${orderId} AND status IN ('creating', 'open')`,
  );
  for (const { id: link } of links) await ctx.jobs.add('payments.cancel_link', { id: orderId, link });
}

/** Another attempt is made while the provider is not available. */
export async function cancelInBackground(ctx: Ctx, key: LinkKey): Promise<void> {
  try {
    await cancelLink(ctx, key);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'payments.unavailable') throw error;
    ctx.log.warn({ tenant: ctx.tenant.id, link: key.link, reason: error.code }, 'a payment link was not cancelled');
  }
}

/** At the provider first: a link that is cancelled here cannot be paid. */
export async function cancelLink(ctx: Ctx, key: LinkKey): Promise<PaymentLink> {
  const { provider, provider_link_id, status } = await findLink(ctx, key);
  if (status !== 'creating' && status !== 'open') throw fail('payments.link_closed', { status });
  const { title, cancelLink: cancel } = providers[provider];
  if (provider_link_id !== null) {
    const keys = await findKeys(ctx, provider);
    if (!keys) throw fail('payments.not_configured');
    const outcome = await cancel(ctx, keys, provider_link_id);
    if (outcome.status !== 'done')
      throw fail(`payments.${outcome.status}`, { provider: title, reason: outcome.reason });
  }
  const cancelled = await closeLink(ctx, key.link, 'cancelled');
  return cancelled ?? (await findLink(ctx, key));
}
