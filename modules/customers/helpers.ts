import type { Ctx, HelpersOf } from '@chowk/kit';
import { type Contact, contacts } from './contacts.ts';
import { getExternalId, setExternalId } from './external-ids.ts';
import { type Identity, lockCustomer, resolveCustomer } from './identity.ts';
import { getMetadata, setMetadata } from './metadata.ts';
import type { CustomerRecord } from './schemas.ts';
import { matchingIds } from './search.ts';

/**
 * What other modules may ask of this one. A customer that was merged is whom it has become; one that is not there, or was
 * deleted, fails with `customers.not_found`.
 */
export const helpers = {
  /**
   * The customer that is meant by an id, a phone, an email, or a new one named Guest. It is locked until the
   * transaction ends, so that what is written about it cannot be left behind by a merge.
   */
  findOrCreate: (ctx: Ctx, identity: Identity): Promise<CustomerRecord> => resolveCustomer(ctx, identity),
  /** Locks a customer, also a deleted one, until the transaction ends; gives the id of whom it has become by merging. */
  lock: async (ctx: Ctx, { id }: { id: string }): Promise<string | undefined> =>
    (await lockCustomer(ctx, id))?.customer.id,
  /** Names and addresses to write to, by id; who is not there is left out. Phones are whole: mask them for who may not see them. */
  contacts: (ctx: Ctx, { ids }: { ids: readonly string[] }): Promise<Map<string, Contact>> => contacts(ctx, ids),
  /** The ids of customers that a text finds in name or email, or by phone for who may see it; the first two hundred. */
  matching: (ctx: Ctx, { text }: { text: string }): Promise<string[]> => matchingIds(ctx, text),
  setExternalId: (ctx: Ctx, input: { customer_id: string; platform: string; external_id: string }): Promise<void> =>
    setExternalId(ctx, input),
  getExternalId: (ctx: Ctx, input: { customer_id: string; platform: string }): Promise<string | undefined> =>
    getExternalId(ctx, input),
  /** Remembers a value under a key that belongs to the calling module. */
  setMetadata: (ctx: Ctx, input: { customer_id: string; key: string; value: string }, caller: string): Promise<void> =>
    setMetadata(ctx, { ...input, module_source: caller }),
  /** What was remembered under the key by the calling module, or by another that is named. */
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
