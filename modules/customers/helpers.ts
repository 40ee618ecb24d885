import { type Ctx, type FieldErrors, type HelpersOf, sql } from '@chowk/kit';
import { mask } from './columns.ts';
import { getExternalId, setExternalId } from './external-ids.ts';
import { lockCustomer } from './find.ts';
import { type Identity, identityProblems, resolveCustomer } from './identity.ts';
import { getMetadata, setMetadata } from './metadata.ts';
import type { CustomerRecord } from './schemas.ts';
import { matchingIds } from './search.ts';

type Contact = Pick<CustomerRecord, 'id' | 'first_name' | 'last_name' | 'email' | 'phone'>;

/**
 * What other modules may ask of this one. For a customer that was merged they get the one it became; for one that does
 * not exist or was deleted they fail with `customers.not_found`.
 */
export const helpers = {
  /**
   * The customer with the id, else the phone, else the email, else a new one called Guest. It is locked until the
   * transaction ends. 422 names `customer.id`, `customer.phone` and `customer.email`.
   */
  findOrCreate: (ctx: Ctx, identity: Identity): Promise<CustomerRecord> => resolveCustomer(ctx, identity),
  /** What `findOrCreate` would refuse, without creating anything: for a caller's `explain`. */
  problems: (ctx: Ctx, { customer }: { customer: Identity }): Promise<FieldErrors> => identityProblems(ctx, customer),
  /** Locks a customer, also a deleted one, until the transaction ends; gives the id of the customer it has become. */
  lock: async (ctx: Ctx, { id }: { id: string }): Promise<string | undefined> =>
    (await lockCustomer(ctx, id))?.customer.id,
  /**
   * Names, emails and phones by id; customers that do not exist are left out. Phones are masked for callers who may not
   * see them, unless `unmasked`, for code that sends messages.
   */
  contacts: async (ctx: Ctx, { ids, unmasked }: { ids: readonly string[]; unmasked?: boolean }) => {
    if (ids.length === 0) return new Map<string, Contact>();
    const rows = await ctx.db.rows<Contact>(sql`
      SELECT id, first_name, last_name, email, phone FROM customers WHERE id = ANY(${ids}::uuid[])`);
    return new Map(rows.map((row) => [row.id, unmasked ? row : mask(ctx, row)]));
  },
  /** The ids of customers with the text in name, email or, for callers who may see it, phone; at most two hundred. */
  matching: (ctx: Ctx, { text }: { text: string }): Promise<string[]> => matchingIds(ctx, text),
  setExternalId: (ctx: Ctx, input: { customer_id: string; platform: string; external_id: string }): Promise<void> =>
    setExternalId(ctx, input),
  getExternalId: (ctx: Ctx, input: { customer_id: string; platform: string }): Promise<string | undefined> =>
    getExternalId(ctx, input),
  /** Stores a value under a key that belongs to the calling module. */
  setMetadata: (ctx: Ctx, input: { customer_id: string; key: string; value: string }, caller: string): Promise<void> =>
    setMetadata(ctx, { ...input, module_source: caller }),
  /** The value that the calling module, or another that is named, has stored under the key. */
  getMetadata: (
    ctx: Ctx,
    input: { customer_id: string; key: string; module_source?: string },
    caller: string,
  ): Promise<string | undefined> => getMetadata(ctx, { ...input, module_source: input.module_source ?? caller }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    customers: HelpersOf<typeof helpers>;
  }
}
