import type { AuditEntry, AuditListInput, Client } from '@chowk/client';
import { customerName } from '../people/customer-name.ts';
import { describeChange, type ThingKind } from './sentence.ts';

/** An entry of the audit log, with the name of its record if the user may see it. */
export interface Change extends AuditEntry {
  readonly name: string | undefined;
}

type Can = (permission: string) => boolean;

/** A page of changes that people and programs have made, newest first. */
export async function readChanges(
  client: Client,
  can: Can,
  query: AuditListInput & { readonly per_page: number },
  /** Those that are needed. Default: all. */
  choose = (entries: readonly AuditEntry[]) => entries,
): Promise<{ readonly changes: readonly Change[]; readonly total: number }> {
  const { audit, pagination } = await client.audit.list({ is_internal: false, ...query });
  return {
    changes: await addNames(client, can, choose(audit)),
    total: 'total' in pagination ? pagination.total : audit.length,
  };
}

/** One request for each kind of record. Those that were deleted have no name. */
async function addNames(client: Client, can: Can, entries: readonly AuditEntry[]): Promise<readonly Change[]> {
  const names = new Map<string, string>();
  await Promise.all(
    Object.entries(readers).map(async ([kind, { permission, read }]) => {
      const ids = new Set(
        entries.flatMap((entry) =>
          describeChange(entry).thing === kind && isUuid(entry.resource_id) ? [entry.resource_id] : [],
        ),
      );
      if (ids.size === 0 || !can(permission)) return;
      for (const [id, name] of await read(client, [...ids])) names.set(id, name);
    }),
  );
  return entries.map((entry) => ({ ...entry, name: names.get(entry.resource_id ?? '') }));
}

type Names = readonly (readonly [id: string, name: string])[];

interface NameReader {
  readonly permission: string;
  read(client: Client, ids: readonly string[]): Promise<Names>;
}

const readers: Readonly<Partial<Record<ThingKind, NameReader>>> = {
  order: {
    permission: 'orders.view',
    async read(client, ids) {
      const { orders } = await client.orders.list({ ids, per_page: ids.length });
      return orders.map(({ id, order_number }) => [id, order_number]);
    },
  },
  customer: {
    permission: 'customers.view',
    async read(client, ids) {
      const { customers } = await client.customers.list({ ids, per_page: ids.length });
      return customers.map((customer) => [customer.id, customerName(customer)]);
    },
  },
  product: {
    permission: 'products.view',
    async read(client, ids) {
      const { products } = await client.products.list({ ids, per_page: ids.length });
      return products.map(({ id, title }) => [id, title]);
    },
  },
};

function isUuid(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
