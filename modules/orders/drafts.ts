import {
  byTime,
  type Ctx,
  changesBetween,
  columnsFor,
  equals,
  Issues,
  isAmong,
  list,
  removedFields,
  search,
  sql,
  Type,
  Uuid,
} from '@chowk/kit';
import { type ReadCart, readCart } from './cart.ts';
import { customerInput } from './create.ts';
import { type DraftChanges, type DraftContent, type DraftDetails, DraftOrder } from './draft-schemas.ts';
import { fail } from './errors.ts';
import { addressToStore, hideAddress } from './masking.ts';
import { previewOrder } from './preview.ts';
import type { NewOrder } from './schemas.ts';

type Key = { readonly id: string };

/** A draft as it is stored, with nothing masked. */
export type StoredDraft = Omit<DraftOrder, 'customer'>;

/** From a row of `draft_orders d`. */
const columns = columnsFor(DraftOrder, sql`d`, { customer: sql`NULL` });

/** The line feed prevents matches across two fields. */
const searchText = sql`fold(concat_ws(E'\n', d.input ->> 'note', jsonb_path_query_array(d.input, '$.items[*].name')::text,
  jsonb_path_query_array(d.input, '$.items[*].sku')::text))`;

export const draftList = list({
  name: 'draft_orders',
  row: DraftOrder,
  from: sql`draft_orders d`,
  alias: sql`d`,
  columns,
  filters: {
    search: search('Words in items, note, or name or email of the customer.', searchText, async (text, ctx) =>
      isAmong(sql`d.customer_id`, await ctx.bus.callIfInstalled('customers.findMatching', { text })),
    ),
    customer_id: equals(Uuid, sql`d.customer_id`),
    is_placed: equals(Type.Boolean(), sql`(d.order_id IS NOT NULL)`),
  },
  sorts: { created_at: byTime(sql`d.created_at`) },
  complete: (ctx, rows: readonly StoredDraft[]) => withCustomers(ctx, rows),
});

/** Masked as for the caller. */
async function withCustomers(ctx: Ctx, drafts: readonly StoredDraft[]): Promise<DraftOrder[]> {
  const ids = drafts.flatMap(({ customer_id }) => customer_id ?? []);
  const contacts = (await ctx.bus.callIfInstalled('customers.listContacts', { ids: [...new Set(ids)] })) ?? [];
  return drafts.map((draft) => {
    const { shipping_address, billing_address } = draft.input;
    const addresses = {
      shipping_address: hideAddress(ctx, shipping_address),
      billing_address: hideAddress(ctx, billing_address),
    };
    const customer = contacts.find(({ id }) => id === draft.customer_id) ?? null;
    return { ...draft, input: { ...draft.input, ...addresses }, customer };
  });
}

export async function getDraft(ctx: Ctx, { id }: Key): Promise<DraftDetails> {
  return describe(ctx, await findDraft(ctx, id));
}

/** With the price of today; products that are gone are problems then. */
async function describe(ctx: Ctx, stored: StoredDraft): Promise<DraftDetails> {
  const [draft] = (await withCustomers(ctx, [stored])) as [DraftOrder];
  const issues = new Issues();
  const order = toOrder(stored);
  const cart = await readCart(ctx, order, issues);
  const found = Object.entries(issues.errors).flatMap(([field, errors]) =>
    errors.map((error) => ({ field, ...error })),
  );
  const preview = cart && found.length === 0 ? await previewOrder(ctx, order, cart) : null;
  return { ...draft, preview, problems: [...found, ...(preview?.problems ?? [])] };
}

/** What `POST /orders` would get. */
export function toOrder({ input, customer_id }: Pick<StoredDraft, 'input' | 'customer_id'>): NewOrder {
  return { ...input, customer: {}, ...(customer_id === null ? {} : { customer_id }) };
}

export async function createDraft(ctx: Ctx, order: NewOrder, cart: ReadCart | undefined): Promise<DraftDetails> {
  const { customer: _, customer_id: __, ...input } = order;
  const customerId = await findCustomer(ctx, order);
  const addresses = {
    shipping_address: addressToStore(ctx, input.shipping_address),
    billing_address: addressToStore(ctx, input.billing_address),
  };
  const { total, currency } = await previewOrder(ctx, toOrder({ input, customer_id: customerId }), cart);
  const draft = await ctx.db.row<StoredDraft>(sql`
    INSERT INTO draft_orders AS d (id, customer_id, input, total, currency, created_at, updated_at)
    VALUES (${ctx.newId()}, ${customerId}, ${{ ...input, ...addresses }}::jsonb, ${total}, ${currency}, ${ctx.now()},
      ${ctx.now()})
    RETURNING ${columns}`);
  return describe(ctx, draft as StoredDraft);
}

/** The customer is created with the draft, so that erasing and merging customers reach it. Locked until the transaction ends. */
async function findCustomer(
  ctx: Ctx,
  order: Pick<Partial<NewOrder>, 'customer' | 'customer_id'>,
): Promise<string | null> {
  const identity = customerInput(order);
  if (Object.values(identity).every((value) => value == null)) return null;
  const customer = await ctx.bus.callIfInstalled('customers.findOrCreate', identity);
  if (!customer) throw fail('orders.no_customers');
  return customer.id;
}

interface Edit {
  readonly current: StoredDraft;
  readonly draft: StoredDraft;
  readonly cart: ReadCart | undefined;
}

export async function checkDraftChanges(
  ctx: Ctx,
  changes: Partial<DraftChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  const { id, customer, customer_id, ...sent } = changes;
  if (id === undefined) return undefined;
  const isMoved = customer !== undefined || customer_id !== undefined;
  const moved = isMoved ? await findCustomer(ctx, changes) : undefined;
  const current = moved === undefined ? await lockDraft(ctx, id) : await lockRow(ctx, id);
  if (current.order_id !== null) throw fail('orders.draft_placed');
  const draft = {
    ...current,
    input: { ...current.input, ...sent, ...addressChanges(ctx, current, sent) } as DraftContent,
    customer_id: moved === undefined ? current.customer_id : moved,
  };
  return { current, draft, cart: await readCart(ctx, draft.input, issues) };
}

function addressChanges(ctx: Ctx, { input }: StoredDraft, sent: Partial<DraftContent>): Partial<DraftContent> {
  const names = (['shipping_address', 'billing_address'] as const).filter((name) => sent[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, addressToStore(ctx, sent[name] ?? null, input[name])]));
}

export async function updateDraft(ctx: Ctx, _: DraftChanges, { current, draft, cart }: Edit): Promise<DraftDetails> {
  const { total, currency } = await previewOrder(ctx, toOrder(draft), cart);
  const fields = { ...draft.input, customer_id: draft.customer_id };
  ctx.audit(changesBetween<object>({ ...current.input, customer_id: current.customer_id }, fields));
  const saved = await ctx.db.row<StoredDraft>(sql`
    UPDATE draft_orders d SET customer_id = ${draft.customer_id}, input = ${draft.input}::jsonb, total = ${total},
      currency = ${currency}, updated_at = ${ctx.now()}
    WHERE id = ${current.id} RETURNING ${columns}`);
  return describe(ctx, saved as StoredDraft);
}

export async function deleteDraft(ctx: Ctx, { id }: Key): Promise<void> {
  const draft = await lockDraft(ctx, id);
  await ctx.db.run(sql`DELETE FROM draft_orders WHERE id = ${id}`);
  ctx.audit(removedFields(draft));
}

/** Locks the customer before the draft, in the same order as a merge, which prevents deadlocks. */
export async function lockDraft(ctx: Ctx, id: string): Promise<StoredDraft> {
  const { customer_id } = await findDraft(ctx, id);
  if (customer_id !== null) await ctx.bus.callIfInstalled('customers.lock', { id: customer_id });
  return lockRow(ctx, id);
}

async function lockRow(ctx: Ctx, id: string): Promise<StoredDraft> {
  const draft = await findDraft(ctx, id, sql`FOR UPDATE`);
  ctx.mustMatch(draft);
  return draft;
}

async function findDraft(ctx: Ctx, id: string, lock = sql``): Promise<StoredDraft> {
  const draft = await ctx.db.row<StoredDraft & { customer: null }>(
    sql`SELECT ${columns} FROM draft_orders d WHERE id = ${id} ${lock}`,
  );
  if (!draft) throw fail('orders.draft_not_found', { key: id });
  return draft;
}
