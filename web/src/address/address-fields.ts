export type AddressField =
  | ('first_name' | 'last_name' | 'company' | 'address1' | 'address2')
  | ('city' | 'pincode' | 'state' | 'country' | 'phone');

interface AddressFieldInfo<Name = AddressField> {
  readonly name: Name;
  readonly label: string;
  /** Two in a line. */
  readonly isHalf?: boolean;
  /** Hidden without the permission customers.view_sensitive. */
  readonly isSensitive?: boolean;
}

export const addressFields: readonly AddressFieldInfo[] = [
  { name: 'first_name', label: 'First name', isHalf: true },
  { name: 'last_name', label: 'Last name', isHalf: true },
  { name: 'company', label: 'Company' },
  { name: 'address1', label: 'Address', isSensitive: true },
  { name: 'address2', label: 'Apartment, floor, landmark', isSensitive: true },
  { name: 'city', label: 'City', isHalf: true },
  { name: 'pincode', label: 'PIN code', isHalf: true },
  { name: 'state', label: 'State', isHalf: true },
  { name: 'country', label: 'Country', isHalf: true },
  { name: 'phone', label: 'Phone', isHalf: true, isSensitive: true },
];

/** Addresses of orders also have the number under which a business pays taxes. */
export type OrderAddressField = AddressField | 'tax_number';

export const orderAddressFields: readonly AddressFieldInfo<OrderAddressField>[] = [
  ...addressFields,
  { name: 'tax_number', label: 'Tax number', isHalf: true },
];
