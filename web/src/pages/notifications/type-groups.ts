import type { NotificationTypePreferences } from '@chowk/client';
import { typeLabel } from './type-label.ts';

/** The modules in the words of the console, in the order of what most members look for. */
const headings: Readonly<Record<string, string>> = {
  orders: 'Orders',
  payments: 'Payments',
  conversations: 'Conversations',
  customers: 'Customers',
  products: 'Products',
  notifications: 'Messages',
  onboarding: 'Applications',
  webhooks: 'Developers',
  rings: 'Platform',
};

/** The types below their headings; those of other modules, by name, at the end. */
export function groupTypes(
  types: readonly NotificationTypePreferences[],
): readonly (readonly [heading: string, types: readonly NotificationTypePreferences[]])[] {
  const known = Object.keys(headings);
  const groups = [...Map.groupBy(types, ({ module }) => module ?? '')];
  const place = (module: string) => (known.includes(module) ? known.indexOf(module) : known.length);
  return groups
    .sort(([one], [other]) => place(one) - place(other) || one.localeCompare(other))
    .map(([module, group]) => [headings[module] ?? (module === '' ? 'Other' : typeLabel(module)), group]);
}
