/**
 * What the modules hold on one customer: the rows of every table that a `module.json` ties to customers in its `data`,
 * whether or not the tenant has the module switched on. Inside a transaction, in it.
 */
export interface PersonalData {
  /** Every row, by module and table. Masked, phones show their last two digits and street addresses nothing. */
  rows(customerId: string, options: { readonly masked: boolean }): Promise<PersonalRows>;
  /** How many rows each module holds in each table. */
  count(customerId: string): Promise<{ readonly module: string; readonly table: string; readonly rows: number }[]>;
  /** Empties every personal field, or removes the row where the table is declared to be nothing without them. */
  anonymize(customerId: string): Promise<void>;
  /** Removes every row. */
  remove(customerId: string): Promise<void>;
  /** Gives every row but the customer's own to another. */
  move(from: string, to: string): Promise<void>;
}

export type PersonalRows = Readonly<Record<string, Readonly<Record<string, readonly Record<string, unknown>[]>>>>;

/** Whether the caller may see whole phones and street addresses. */
export function canViewSensitive(ctx: { can(permission: string): boolean }): boolean {
  return ctx.can('customers.view_sensitive');
}

/** All but the last two digits hidden. */
export function maskPhone(phone: string): string {
  return phone.slice(0, -2).replace(/\d/g, '*') + phone.slice(-2);
}
