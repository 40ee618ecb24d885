interface Row {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** Columns of ours, by the names that Shopify has used for them, the newest first. */
const names: Readonly<Record<string, readonly string[]>> = {
  email: ['email'],
  phone: ['phone', 'default address phone'],
  first_name: ['first name'],
  last_name: ['last name'],
  accepts_marketing: ['accepts email marketing', 'accepts marketing'],
  tags: ['tags'],
  notes: ['note'],
  company: ['default address company', 'company'],
  address1: ['default address address1', 'address1'],
  address2: ['default address address2', 'address2'],
  city: ['default address city', 'city'],
  state: ['default address province code', 'province code', 'province'],
  pincode: ['default address zip', 'zip'],
  country: ['default address country code', 'country code', 'country'],
};

/** The customer export of Shopify. Totals are those of orders, which are imported on their own. */
export const shopifyCustomers = {
  recognizedBy: ['first name', 'last name', 'email', 'total spent'],
  convert: (rows: readonly Row[]): Row[] => rows.map(({ line, cells }) => ({ line, cells: convert(cells) })),
};

function convert(cells: Row['cells']): Row['cells'] {
  // Shopify writes an apostrophe before numbers, so that spreadsheets show all digits.
  const read = (name: string) => (cells[name] ?? '').trim().replace(/^'(?=[+\d])/, '');
  const own = Object.entries(names).map(([name, others]) => [name, others.map(read).find(Boolean) ?? '']);
  const id = read('customer id');
  return { ...Object.fromEntries(own), external_ids: id === '' ? '' : JSON.stringify({ shopify: id }) };
}
