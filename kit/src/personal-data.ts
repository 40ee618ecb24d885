/**
 * The rows that modules hold about one customer, in every table that a `module.json` ties to customers in `data`, whether
 * or not the tenant has the module enabled. Inside a transaction it works in that transaction.
 */
export interface PersonalData {
  /** All rows by module and table; `masked` applies the masks that `data` declares. */
  rows(customerId: string, options: { readonly masked: boolean }): Promise<PersonalRows>;
  /** The number of rows by module and table. */
  count(customerId: string): Promise<{ readonly module: string; readonly table: string; readonly rows: number }[]>;
  /** Resets personal columns to their defaults, or deletes the row where `data` says so. */
  anonymize(customerId: string): Promise<void>;
  /** Deletes all rows, including the customer's own. */
  remove(customerId: string): Promise<void>;
  /** Removes personal data from stored events about customers. */
  eraseFromEvents(customerIds: readonly string[]): Promise<void>;
  /** Moves all rows but the customer's own to another customer; `merge` in `data` combines rows that exist once. */
  move(from: string, to: string): Promise<void>;
}

export type PersonalRows = Readonly<Record<string, Readonly<Record<string, readonly Record<string, unknown>[]>>>>;

/** Replaces all digits but those of the last two characters. */
export function maskDigits(text: string): string {
  return text.slice(0, -2).replace(/\d/g, '*') + text.slice(-2);
}
