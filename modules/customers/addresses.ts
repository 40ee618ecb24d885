import {
  assignments,
  type Ctx,
  changesBetween,
  type Issues,
  insertRecords,
  pickFields,
  removedFields,
  type Sql,
  sql,
} from '@chowk/kit';
import { addressColumns, addressJson, canViewSensitive, maskedAddressJson, visibleAddressColumns } from './columns.ts';
import { fail } from './errors.ts';
import { findCustomer, lockCustomer } from './find.ts';
import { looseDigits, phoneProblem, readPhone } from './phone.ts';
import { touchCustomer } from './save.ts';
import { type Address, type AddressChanges, AddressFields, type AddressKey, type NewAddress } from './schemas.ts';

/*
 * Exactly one address of each type is the default. Every change holds the customer's lock, clears the default before it
 * sets another, and finally promotes the newest address of a type that has no default.
 */

type Changes = Partial<AddressFields>;

const { type: _, is_default: __, ...textFields } = AddressFields.properties;
const textNames = Object.keys(textFields) as (keyof typeof textFields)[];

export async function listAddresses(ctx: Ctx, { id }: { id: string }): Promise<{ addresses: Address[] }> {
  const customer = await findCustomer(ctx, id);
  return { addresses: await findAddresses(ctx, customer.id) };
}

/** Default addresses first. */
function findAddresses(ctx: Ctx, customerId: string): Promise<Address[]> {
  return ctx.db.rows<Address>(sql`
    SELECT ${visibleAddressColumns(ctx)} FROM customer_addresses a WHERE customer_id = ${customerId}
    ORDER BY is_default DESC, created_at DESC, id DESC`);
}

/** The addresses of a row of `customers c`, as JSON, in the same order. */
export function addressesWithin(ctx: Ctx): Sql {
  return canViewSensitive(ctx) ? allAddresses : maskedAddresses;
}

function selectAddresses(columns: Sql): Sql {
  return sql`(SELECT coalesce(json_agg(a), '[]') FROM (
    SELECT ${columns} FROM customer_addresses a WHERE a.customer_id = c.id
    ORDER BY a.is_default DESC, a.created_at DESC, a.id DESC) a)`;
}

const allAddresses = selectAddresses(addressJson);
const maskedAddresses = selectAddresses(maskedAddressJson);

export async function checkNewAddress(
  ctx: Ctx,
  { id, ...input }: Partial<NewAddress>,
  issues: Issues,
): Promise<AddressFields> {
  if (id !== undefined) await lockCustomer(ctx, id);
  return readAddress(ctx, input, issues);
}

export async function addAddress(ctx: Ctx, { id }: NewAddress, fields: AddressFields): Promise<Address> {
  if (fields.is_default) await clearDefault(ctx, id, fields.type);
  const addr = await insertAddress(ctx, id, fields);
  await finishChange(ctx, id);
  return findAddress(ctx, { id, addr }, visibleAddressColumns(ctx));
}

interface Edit {
  readonly current: Address;
  readonly fields: AddressFields;
}

export async function checkAddressChanges(
  ctx: Ctx,
  { id, addr, ...changes }: Partial<AddressChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  if (id === undefined || addr === undefined) return undefined;
  await lockCustomer(ctx, id);
  const current = await findAddress(ctx, { id, addr });
  ctx.mustMatch(current);
  return { current, fields: await readAddress(ctx, changes, issues, current) };
}

export async function updateAddress(
  ctx: Ctx,
  { id, addr }: AddressChanges,
  { current, fields }: Edit,
): Promise<Address> {
  const changed = changesBetween(current, fields);
  if (Object.keys(changed).length > 0) {
    if (fields.is_default) await clearDefault(ctx, id, fields.type);
    await saveAddress(ctx, addr, fields);
    ctx.audit(changed);
    await finishChange(ctx, id);
  }
  return findAddress(ctx, { id, addr }, visibleAddressColumns(ctx));
}

export function deleteAddress(ctx: Ctx, { id, addr }: AddressKey): Promise<void> {
  return ctx.tx(async (tx) => {
    await lockCustomer(tx, id);
    const address = await findAddress(tx, { id, addr });
    tx.mustMatch(address);
    await tx.db.run(sql`DELETE FROM customer_addresses WHERE id = ${addr}`);
    tx.audit(removedFields(address));
    await finishChange(tx, id);
  });
}

/** Moves the version of the customer as well, which is shown with its addresses. */
async function finishChange(ctx: Ctx, customerId: string): Promise<void> {
  await promoteNewest(ctx, customerId);
  await touchCustomer(ctx, customerId, 'addresses');
}

async function findAddress(ctx: Ctx, { id, addr }: AddressKey, columns = addressColumns): Promise<Address> {
  const address = await ctx.db.row<Address>(sql`
    SELECT ${columns} FROM customer_addresses a WHERE id = ${addr} AND customer_id = ${id}`);
  if (!address) throw fail('customers.address_not_found', { id: addr });
  return address;
}

/** The changed address; adds problems that the schema cannot express to `issues`. */
async function readAddress(ctx: Ctx, changes: Changes, issues: Issues, current?: Address): Promise<AddressFields> {
  const sent = current ? ignoreHidden(ctx, changes) : changes;
  const fields = { ...(current && pickFields(AddressFields, current)), ...sent } as AddressFields;
  if (sent.phone) {
    const phone = (await readPhone(ctx, sent.phone)) ?? looseDigits(sent.phone);
    if (phone) fields.phone = phone;
    else issues.add('phone', phoneProblem);
  }
  if (!textNames.some((name) => fields[name] || issues.has(name))) {
    issues.add('address1', 'The address must not be empty.', 'required');
  }
  if (!current) return fields;
  const staysDefault = current.is_default && fields.type === current.type;
  if (staysDefault && sent.is_default === false) issues.add('is_default', mustHaveDefault);
  // After a change of type it is the default only on request, or if it is the only address of that type.
  return { ...fields, is_default: sent.is_default ?? staysDefault };
}

const mustHaveDefault = 'One address of each type must be the default. Make another address the default instead.';

/** A user who cannot see hidden fields sends them back empty, which does not change them. */
function ignoreHidden(ctx: Ctx, changes: Changes): Changes {
  if (canViewSensitive(ctx)) return changes;
  const { address1, address2, phone, ...others } = changes;
  const filled = Object.entries({ address1, address2, phone }).filter(([, text]) => text);
  return { ...others, ...Object.fromEntries(filled) };
}

async function insertAddress(ctx: Ctx, customer_id: string, fields: AddressFields): Promise<string> {
  const row = { ...fields, id: ctx.newId(), customer_id, created_at: ctx.now(), updated_at: ctx.now() };
  await insertRecords(ctx, 'customer_addresses', [row]);
  return row.id;
}

async function saveAddress(ctx: Ctx, id: string, fields: AddressFields): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET ${assignments({ ...fields, updated_at: ctx.now() })} WHERE id = ${id}`);
}

async function clearDefault(ctx: Ctx, customerId: string, type: Address['type']): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET is_default = false, updated_at = ${ctx.now()}
    WHERE customer_id = ${customerId} AND type = ${type} AND is_default`);
}

/** Makes the newest address of each type without a default the default. */
async function promoteNewest(ctx: Ctx, customerId: string): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET is_default = true, updated_at = ${ctx.now()}
    WHERE id IN (
      SELECT DISTINCT ON (type) id FROM customer_addresses a
      WHERE customer_id = ${customerId} AND NOT EXISTS (
        SELECT FROM customer_addresses d WHERE d.customer_id = a.customer_id AND d.type = a.type AND d.is_default)
      ORDER BY type, created_at DESC, id DESC)`);
}
