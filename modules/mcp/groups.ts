import type { SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';

export type CallableAction = Awaited<ReturnType<SystemCtx['system']['actions']['list']>>[number];

/** What agents need most, for clients that name no groups: the whole list would fill much of a model's context. */
const essential: ReadonlySet<string> = new Set([
  'customers.list',
  'customers.get',
  'customers.create',
  'customers.update',
  'orders.list',
  'orders.get',
  'orders.getByNumber',
  'orders.create',
  'orders.updateStatus',
  'orders.cancel',
  'products.list',
  'products.get',
  'products.getBySku',
  'products.changeStock',
  'conversations.list',
  'conversations.get',
  'conversations.messages',
  'conversations.reply',
  'conversations.assign',
  'reports.sales',
  'events.list',
]);

/** The group of an action is what precedes the dot in its name. */
function groupName({ name }: CallableAction): string {
  return name.split('.')[0] as string;
}

export function listGroups(actions: readonly CallableAction[]): string[] {
  return [...new Set(actions.map(groupName))].sort();
}

/** The actions of the groups in the header `Tool-Groups`: names separated by commas, or `all`. Without it, the essential ones. */
export function selectGroups(
  actions: readonly CallableAction[],
  header: string | undefined,
): readonly CallableAction[] {
  if (header === undefined) return actions.filter(({ name }) => essential.has(name));
  const groups = header.split(',').map((name) => name.trim());
  if (groups.includes('all')) return actions;
  const known = listGroups(actions);
  const unknown = groups.find((group) => !known.includes(group));
  if (unknown !== undefined) throw fail('mcp.unknown_group', { group: unknown, groups: known.join(', ') });
  return actions.filter((action) => groups.includes(groupName(action)));
}

export function writeInstructions(): string {
  return [
    'Chowk is the commerce platform of one shop: its customers, orders, products and conversations.',
    'Find records with the list tools before you change them, and use their ids as they are.',
    'Amounts are strings in the currency of the shop, such as "199.65". Times are in UTC.',
    'Lists return one page: use `limit` and the `next_cursor` of the response as `cursor` to read on.',
    'A failed call returns `message`, `code` and, for wrong arguments, `errors` by field: correct them and call again.',
    'Ask the user before calls that delete, refund, cancel or merge.',
    'Only the most used tools are listed. With the request header `Tool-Groups`, the list has the tools of other groups,',
    'such as `orders,invoices,payments`, or with `all` every tool; tools that are not listed can be called too.',
  ].join(' ');
}
