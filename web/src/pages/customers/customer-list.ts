import { count } from '../../format/numbers.ts';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import { pick, type Search } from '../../routing/search-params.ts';

export function filtersWith(tags: readonly string[]): readonly Filter[] {
  return [
    { key: 'tags', label: 'Tags', help: 'Separate with commas. Customers must have all of them.', suggestions: tags },
    { key: 'min_orders', label: 'Minimum orders', type: 'number' },
    { key: 'min_spent', label: 'Minimum spent', type: 'number' },
    {
      key: 'accepts_marketing',
      label: 'Accepts marketing',
      options: [
        ['true', 'Yes'],
        ['false', 'No'],
      ],
    },
    { key: 'created_from', label: 'Created from', type: 'date', until: 'created_to' },
    { key: 'created_to', label: 'Created until', type: 'date' },
  ];
}

/** What the address of the list can have. */
export const searchKeys: readonly string[] = [
  'search',
  'segment',
  'sort_by',
  'sort_order',
  ...filtersWith([]).map(({ key }) => key),
];

export const viewList: ViewList = {
  action: 'customers.list',
  fields: searchKeys,
  types: { tags: 'list', min_orders: 'number', accepts_marketing: 'boolean' },
};

/** The search parameters of the list, without those of the open customer. */
export const listSearch: (search: Readonly<Record<string, unknown>>) => Search = pick(...searchKeys);

/** `1 customer`, `5 customers`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
