import type { Category, Product } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import type { Tone } from '../../ui/status-pill.tsx';

export const statuses: Readonly<Record<Product['status'], { readonly label: string; readonly tone: Tone }>> = {
  active: { label: 'Active', tone: 'success' },
  draft: { label: 'Draft', tone: 'warning' },
  archived: { label: 'Archived', tone: 'neutral' },
};

export const statusOptions = Object.entries(statuses).map(([status, { label }]) => [status, label] as const);

const yesOrNo = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

export function productFilters(categories: readonly Category[]): readonly Filter[] {
  return [
    { key: 'status', label: 'Status', options: statusOptions },
    categories.length === 0
      ? { key: 'category', label: 'Category' }
      : { key: 'category', label: 'Category', options: categories.map(({ name }) => [name, name] as const) },
    { key: 'low_stock', label: 'Running out', options: yesOrNo },
    { key: 'in_stock', label: 'In stock', options: yesOrNo },
    { key: 'tags', label: 'Tags', help: 'Separate with commas. Products must have all of them.' },
    { key: 'min_price', label: 'Price from', type: 'number' },
    { key: 'max_price', label: 'Price up to', type: 'number' },
  ];
}

/** What the address of the list can have. */
export const searchKeys: readonly string[] = [
  'search',
  'sort_by',
  'sort_order',
  ...productFilters([]).map(({ key }) => key),
];

export const viewList: ViewList = {
  action: 'products.list',
  fields: searchKeys,
  types: { tags: 'list', low_stock: 'boolean', in_stock: 'boolean' },
};

export const runningOut = { status: 'active', low_stock: 'true', sort_by: 'stock', sort_order: 'asc' } as const;
