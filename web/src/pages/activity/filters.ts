import type { Filter } from '../../list/filters.tsx';
import { useMembers } from '../../people/members.ts';

/** The members, for those who may see them; others filter by the address only. */
export function usePersonFilter(): readonly Filter[] {
  const { data } = useMembers();
  const options = data?.map(({ id, name }) => [String(id), name] as const);
  return options ? [{ key: 'user_id', label: 'Person', options }] : [];
}

export const timeFilters: readonly Filter[] = [
  { key: 'from', label: 'From', type: 'date', until: 'to' },
  { key: 'to', label: 'To', type: 'date' },
];

export const thingFilter: Filter = {
  key: 'resource',
  label: 'Thing',
  options: [
    ['orders', 'Orders'],
    ['customers', 'Customers'],
    ['products', 'Products'],
    ['conversations', 'Conversations'],
    ['payments', 'Payments'],
    ['invoices', 'Invoices'],
    ['pricing', 'Discounts, taxes and shipping'],
    ['notifications', 'Notifications'],
    ['settings', 'Settings'],
    ['team', 'Members'],
    ['invitations', 'Invitations'],
    ['roles', 'Roles'],
    ['apiClients', 'API clients'],
    ['webhooks', 'Webhooks'],
    ['modules', 'Modules'],
  ],
};

export const outcomes = { ok: 'Done', refused: 'Refused', failed: 'Failed' } as const;

export const outcomeFilter: Filter = { key: 'outcome', label: 'Outcome', options: Object.entries(outcomes) };
