import { formatPhone } from '../format/phone.ts';
import type { OrderAddressField } from './address-fields.ts';

type Address = Readonly<Partial<Record<OrderAddressField, string | null>>>;

/** As on a parcel. */
export function addressLines(address: Address | null): string[] {
  if (!address) return [];
  const join = (separator: string, ...parts: readonly (string | null | undefined)[]) =>
    parts.filter(Boolean).join(separator);
  return [
    join(' ', address.first_name, address.last_name),
    address.company,
    address.address1,
    address.address2,
    join(', ', join(' ', address.city, address.pincode), address.state, address.country),
    address.phone && formatPhone(address.phone),
    address.tax_number && `Tax number ${address.tax_number}`,
  ].filter((line): line is string => Boolean(line));
}
