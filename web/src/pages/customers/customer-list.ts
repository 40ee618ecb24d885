import type { Customer } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';

export const filters: readonly Filter[] = [
  { key: 'tags', label: 'Tags', help: 'With commas between them: customers that have all of them.' },
  { key: 'min_orders', label: 'At least this many orders', type: 'number' },
  { key: 'min_spent', label: 'Has spent at least', type: 'number' },
  {
    key: 'accepts_marketing',
    label: 'Accepts marketing',
    options: [
      ['true', 'Yes'],
      ['false', 'No'],
    ],
  },
  { key: 'created_from', label: 'Created from', type: 'date' },
  { key: 'created_to', label: 'Created until', type: 'date' },
];

/** What the address of the list can have. */
export const searchKeys: readonly string[] = [
  ...['search', 'vip', 'sort_by', 'sort_order'],
  ...filters.map(({ key }) => key),
];

export function nameOf({ first_name, last_name, email, phone }: Customer): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || phone || 'No name';
}
