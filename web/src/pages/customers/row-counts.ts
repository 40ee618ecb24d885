import { counted } from './customer-list.ts';

interface RowCount {
  readonly module: string;
  readonly table: string;
  readonly rows: number;
}

/** What the rows of a table are called; tables of other modules by their name. */
const names: Readonly<Record<string, readonly [one: string, many: string]>> = {
  customers: ['profile', 'profiles'],
  customer_addresses: ['address', 'addresses'],
  customer_metadata: ['value stored by modules', 'values stored by modules'],
  customer_merges: ['earlier merge', 'earlier merges'],
  customer_consents: ['record of consent', 'records of consent'],
  order_history: ['change of an order', 'changes of orders'],
  conversation_messages: ['message', 'messages'],
  messages: ['sent mail or text message', 'sent mails and text messages'],
};

/** `1 profile, 2 addresses, 5 orders.` */
export function countsText(counts: readonly RowCount[]): string {
  // The API names what depends on other rows first.
  const shown = counts
    .filter(({ rows }) => rows > 0)
    .map(rowsText)
    .reverse();
  return shown.length === 0 ? 'nothing.' : `${shown.join(', ')}.`;
}

export function rowsText({ table, rows }: RowCount): string {
  const [one, many] = names[table] ?? tableName(table);
  return counted(rows, one, many);
}

/** `order_items`: `order item`, `order items`. */
function tableName(table: string): readonly [one: string, many: string] {
  const many = table.replaceAll('_', ' ');
  return [many.replace(/ies$/, 'y').replace(/s$/, ''), many];
}
