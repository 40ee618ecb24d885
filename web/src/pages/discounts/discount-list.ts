import type { Discount } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import { pick } from '../../routing/search-params.ts';
import type { Tone } from '../../ui/status-pill.tsx';

export const statuses: Readonly<Record<Discount['status'], { readonly label: string; readonly tone: Tone }>> = {
  active: { label: 'Active', tone: 'success' },
  scheduled: { label: 'Scheduled', tone: 'info' },
  expired: { label: 'Expired', tone: 'neutral' },
  used_up: { label: 'Used up', tone: 'warning' },
  inactive: { label: 'Switched off', tone: 'neutral' },
};

export const kinds: Readonly<Record<Discount['kind'], string>> = {
  percent: 'Percentage',
  fixed: 'Fixed amount',
  free_shipping: 'Free shipping',
};

export const filters: readonly Filter[] = [
  {
    key: 'status',
    label: 'Status',
    options: Object.entries(statuses).map(([status, { label }]) => [status, label] as const),
  },
  { key: 'kind', label: 'Kind', options: Object.entries(kinds) },
];

export const views = [
  { label: 'All', search: {} },
  ...(['active', 'scheduled', 'expired', 'used_up', 'inactive'] as const).map((status) => ({
    label: statuses[status].label,
    search: { status },
  })),
];

/** What the address of the list can have. */
const searchKeys: readonly string[] = ['search', 'sort_by', 'sort_order', ...filters.map(({ key }) => key)];

export const viewList: ViewList = { action: 'pricing.listDiscounts', fields: searchKeys };

/** That of the list, without what belongs to an open discount. */
export const listSearch = pick(...searchKeys);

/** `10 %`, `₹100.00` or `Free shipping`. */
export function discountText({ kind, value }: Discount, money: (amount: string) => string): string {
  if (kind === 'free_shipping') return kinds.free_shipping;
  return kind === 'percent' ? `${Number(value)} %` : money(value);
}

export function usesText({ uses, usage_limit }: Discount, count: (value: number) => string): string {
  return usage_limit === null ? count(uses) : `${count(uses)} of ${count(usage_limit)}`;
}
