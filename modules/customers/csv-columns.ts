import { extend, Type } from '@chowk/kit';
import { AddressFields, CustomerFields, CustomerRow } from './schemas.ts';
import { shopifyCustomers } from './shopify-customers.ts';

const { company, address1, address2, city, state, pincode, country } = AddressFields.properties;
export const addressColumns = { company, address1, address2, city, state, pincode, country };

const columns = [...Object.keys(CustomerRow.properties), ...Object.keys(addressColumns)];
const text = (cell: string) => cell.trim() || undefined;

/** The columns of the exported file, and those of an address. */
export const csvFormat = {
  columns: Type.Object(Object.fromEntries(columns.map((name) => [name, Type.Unknown()]))),
  fields: extend(CustomerFields, { id: Type.String(), ...addressColumns }),
  foreign: [shopifyCustomers],
  cells: {
    // An empty cell keeps what identifies a customer.
    email: text,
    phone: text,
    first_name: text,
    last_name: text,
    notes: (cell: string) => (cell.trim() === '' ? undefined : cell),
    external_ids: readIds,
  },
};

/** As in an exported file: a JSON object. */
function readIds(cell: string): unknown {
  if (cell.trim() === '') return undefined;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
