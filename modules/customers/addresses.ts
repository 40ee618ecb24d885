import { type Ctx, invalid, sql } from '@chowk/kit';
import { addressColumns, seesAll } from './columns.ts';
import { fail } from './errors.ts';
import { tellUpdated } from './events.ts';
import { findCustomer, holdCustomer } from './identity.ts';
import { addressPhone } from './phone.ts';
import { changedFields } from './rules.ts';
import type { Address, AddressChanges, CustomerRecord, NewAddress } from './schemas.ts';

/*
 * As long as there is an address of a type, exactly one of them is the default. Every change holds the customer's lock,
 * takes the mark away first where another gets it, and settles in the end what is left without.
 */

type Key = { id: string; addr: string };
type Type = Address['type'];

const texts = [
  'first_name',
  'last_name',
  'company',
  'address1',
  'address2',
  'city',
  'state',
  'pincode',
  'country',
] as const;
type Fields = Pick<Address, (typeof texts)[number] | 'phone'>;

const empty: Fields = {
  ...{ first_name: null, last_name: null, company: null, address1: null, address2: null },
  ...{ city: null, state: null, pincode: null, country: null, phone: null },
};

export async function listAddresses(ctx: Ctx, { id }: { id: string }): Promise<Address[]> {
  return addressesOf(ctx, await findCustomer(ctx, id));
}

/** Of a customer that is known to be there. */
export function addressesOf(ctx: Ctx, { id }: { id: string }): Promise<Address[]> {
  return ctx.db.rows<Address>(sql`
    SELECT ${addressColumns(seesAll(ctx))} FROM customer_addresses a WHERE customer_id = ${id}
    ORDER BY is_default DESC, created_at DESC, id DESC`);
}

export function addAddress(ctx: Ctx, { id }: { id: string }, input: NewAddress): Promise<Address> {
  return holding(ctx, id, async (tx, customer) => {
    const fields = await read(tx, empty, input);
    const { type, is_default = false } = input;
    const addr = tx.newId();
    if (is_default) await clearDefault(tx, id, type);
    await insertAddress(tx, { id: addr, customer_id: id, type, is_default }, fields);
    await settle(tx, customer);
    return showAddress(tx, addr);
  });
}

export function updateAddress(ctx: Ctx, { id, addr }: Key, changes: AddressChanges): Promise<Address> {
  return holding(ctx, id, async (tx, customer) => {
    const current = await findAddress(tx, { id, addr });
    const fields = await read(tx, current, keepHidden(tx, changes));
    const type = changes.type ?? current.type;
    const stays = type === current.type;
    if (stays && current.is_default && changes.is_default === false) throw mustHaveDefault();
    // Of its new type it is the default only if somebody says so, or if it is the only one.
    const is_default = changes.is_default ?? (stays && current.is_default);
    if (changedFields(current, { ...fields, type, is_default }).length > 0) {
      if (is_default) await clearDefault(tx, id, type);
      await saveAddress(tx, { id: addr, type, is_default }, fields);
      await settle(tx, customer);
    }
    return showAddress(tx, addr);
  });
}

export function setDefaultAddress(ctx: Ctx, key: Key): Promise<Address> {
  return updateAddress(ctx, key, { is_default: true });
}

export function deleteAddress(ctx: Ctx, { id, addr }: Key): Promise<void> {
  return holding(ctx, id, async (tx, customer) => {
    const found = await tx.db.run(sql`DELETE FROM customer_addresses WHERE id = ${addr} AND customer_id = ${id}`);
    if (found === 0) throw fail('customers.address_not_found', { id: addr });
    await settle(tx, customer);
  });
}

function holding<Result>(ctx: Ctx, id: string, work: (tx: Ctx, customer: CustomerRecord) => Promise<Result>) {
  return ctx.tx(async (tx) => work(tx, await holdCustomer(tx, id)));
}

/** After every change. */
async function settle(ctx: Ctx, customer: CustomerRecord): Promise<void> {
  await promoteNewest(ctx, customer.id);
  await tellUpdated(ctx, customer, ['addresses']);
}

/** As the caller may see it. */
async function showAddress(ctx: Ctx, addr: string): Promise<Address> {
  return (await ctx.db.row<Address>(sql`
    SELECT ${addressColumns(seesAll(ctx))} FROM customer_addresses a WHERE id = ${addr}`)) as Address;
}

async function findAddress(ctx: Ctx, { id, addr }: Key): Promise<Address> {
  const address = await ctx.db.row<Address>(sql`
    SELECT ${addressColumns(true)} FROM customer_addresses a WHERE id = ${addr} AND customer_id = ${id}`);
  if (!address) throw fail('customers.address_not_found', { id: addr });
  return address;
}

/** Who does not see the street sends it back empty, and does not mean that there is none. */
function keepHidden(ctx: Ctx, changes: AddressChanges): AddressChanges {
  if (seesAll(ctx)) return changes;
  const { address1, address2, phone, ...others } = changes;
  const filled = Object.entries({ address1, address2, phone }).filter(([, text]) => text?.trim());
  return { ...others, ...Object.fromEntries(filled) };
}

async function read(ctx: Ctx, current: Fields, changes: Partial<Fields>): Promise<Fields> {
  const fields = Object.fromEntries(texts.map((name) => [name, tidy(current[name], changes[name])]));
  const phone = changes.phone === undefined ? current.phone : await readPhone(ctx, changes.phone);
  if (phone === null && Object.values(fields).every((text) => text === null)) {
    throw invalid({ address1: ['The address must not be empty.'] });
  }
  return { ...(fields as Omit<Fields, 'phone'>), phone };
}

function tidy(current: string | null, change: string | null | undefined): string | null {
  return change === undefined ? current : change?.trim() || null;
}

async function readPhone(ctx: Ctx, text: string | null): Promise<string | null> {
  if (!text?.trim()) return null;
  const { 'general.country': country } = await ctx.settings();
  const phone = addressPhone(text, country);
  if (phone === undefined) throw invalid({ phone: ['The phone must be a phone number, such as +91 98765 43210.'] });
  return phone;
}

async function insertAddress(
  ctx: Ctx,
  { id, customer_id, type, is_default }: Pick<Address, 'id' | 'customer_id' | 'type' | 'is_default'>,
  { first_name, last_name, company, address1, address2, city, state, pincode, country, phone }: Fields,
): Promise<void> {
  const now = ctx.now();
  await ctx.db.run(sql`
    INSERT INTO customer_addresses (id, customer_id, type, is_default, first_name, last_name, company, address1, address2,
      city, state, pincode, country, phone, created_at, updated_at)
    VALUES (${id}, ${customer_id}, ${type}, ${is_default}, ${first_name}, ${last_name}, ${company}, ${address1},
      ${address2}, ${city}, ${state}, ${pincode}, ${country}, ${phone}, ${now}, ${now})`);
}

async function saveAddress(
  ctx: Ctx,
  { id, type, is_default }: Pick<Address, 'id' | 'type' | 'is_default'>,
  { first_name, last_name, company, address1, address2, city, state, pincode, country, phone }: Fields,
): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET type = ${type}, is_default = ${is_default}, first_name = ${first_name},
      last_name = ${last_name}, company = ${company}, address1 = ${address1}, address2 = ${address2}, city = ${city},
      state = ${state}, pincode = ${pincode}, country = ${country}, phone = ${phone}, updated_at = ${ctx.now()}
    WHERE id = ${id}`);
}

async function clearDefault(ctx: Ctx, customerId: string, type: Type): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET is_default = false, updated_at = ${ctx.now()}
    WHERE customer_id = ${customerId} AND type = ${type} AND is_default`);
}

/** Where a type has addresses and no default, the newest becomes it. */
async function promoteNewest(ctx: Ctx, customerId: string): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET is_default = true, updated_at = ${ctx.now()}
    WHERE id IN (
      SELECT DISTINCT ON (type) id FROM customer_addresses a
      WHERE customer_id = ${customerId} AND NOT EXISTS (
        SELECT FROM customer_addresses d WHERE d.customer_id = a.customer_id AND d.type = a.type AND d.is_default)
      ORDER BY type, created_at DESC, id DESC)`);
}

function mustHaveDefault() {
  return invalid({ is_default: ['One address of each type is the default: make another one the default instead.'] });
}
