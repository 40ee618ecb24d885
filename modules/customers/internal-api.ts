import { type Ctx, type HelpersOf, invalid, sql } from '@chowk/kit';
import { mask } from './columns.ts';
import { currentId, lockCurrent, missing } from './find.ts';
import { findOrCreate, problems } from './identity.ts';
import { saveCustomer, writeCustomer } from './save.ts';
import type { CustomerRecord } from './schemas.ts';
import { matching } from './search.ts';

/*
 * What other modules may ask of this one. For a customer that was merged they get the one it became; for one that does
 * not exist or was deleted they fail with `customers.not_found`.
 */

/** Locks a customer, also a deleted one, until the transaction ends; gives the id of the customer it has become. */
async function lock(ctx: Ctx, { id }: { readonly id: string }): Promise<string | undefined> {
  return (await lockCurrent(ctx, id))?.customer.id;
}

type Contact = Pick<CustomerRecord, 'id' | 'first_name' | 'last_name' | 'email' | 'phone'>;

/**
 * Names, emails and phones by id; customers that do not exist are left out. Phones are masked for callers who may not see
 * them, unless `unmasked`, for code that sends messages.
 */
async function contacts(ctx: Ctx, { ids, unmasked }: { readonly ids: readonly string[]; readonly unmasked?: boolean }) {
  if (ids.length === 0) return new Map<string, Contact>();
  const rows = await ctx.db.rows<Contact>(sql`
    SELECT id, first_name, last_name, email, phone FROM customers WHERE id = ANY(${ids}::uuid[])`);
  return new Map(rows.map((row) => [row.id, unmasked ? row : mask(ctx, row)]));
}

async function lockLiving(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const found = await lockCurrent(ctx, id);
  if (!found || found.deleted) throw await missing(ctx, id);
  return found.customer;
}

interface Key {
  readonly customer_id: string;
  readonly key: string;
}
type Platform = Omit<Key, 'key'> & { readonly platform: string };

function setExternalId(ctx: Ctx, input: Platform & { readonly external_id: string }): Promise<void> {
  const [platform, external_id] = [input.platform.trim(), input.external_id.trim()];
  if (!platform) throw invalid({ platform: 'The platform must not be empty.' });
  if (!external_id) throw invalid({ external_id: 'The external id must not be empty.' });
  return ctx.tx(async (tx) => {
    const customer = await lockLiving(tx, input.customer_id);
    await saveCustomer(tx, customer, { external_ids: { ...customer.external_ids, [platform]: external_id } });
  });
}

async function getExternalId(ctx: Ctx, { customer_id, platform }: Platform): Promise<string | undefined> {
  const row = await ctx.db.row<{ external_id: string | null }>(sql`
    SELECT external_ids ->> ${platform.trim()}::text AS external_id FROM customers
    WHERE id = ${currentId(customer_id)} AND deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.external_id ?? undefined;
}

/** Stores a value under a key that belongs to the calling module. */
function setMetadata(ctx: Ctx, { customer_id, key, value }: Key & { readonly value: string }, caller: string) {
  return ctx.tx(async (tx): Promise<void> => {
    const { id } = await lockLiving(tx, customer_id);
    await tx.db.run(sql`
      INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
      VALUES (${tx.newId()}, ${id}, ${key}, ${value}, ${caller}, ${tx.now()}, ${tx.now()})
      ON CONFLICT (customer_id, module_source, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`);
    await writeCustomer(tx, id, {});
  });
}

/** The value that the calling module, or another that is named, has stored under the key. */
async function getMetadata(
  ctx: Ctx,
  { customer_id, key, module_source }: Key & { readonly module_source?: string },
  caller: string,
): Promise<string | undefined> {
  const row = await ctx.db.row<{ value: string | null }>(sql`
    SELECT m.value FROM customers c LEFT JOIN customer_metadata m
      ON m.customer_id = c.id AND m.module_source = ${module_source ?? caller} AND m.key = ${key}
    WHERE c.id = ${currentId(customer_id)} AND c.deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.value ?? undefined;
}

export const helpers = {
  ...{ findOrCreate, problems, lock, contacts, matching },
  ...{ setExternalId, getExternalId, setMetadata, getMetadata },
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    customers: HelpersOf<typeof helpers>;
  }
}
