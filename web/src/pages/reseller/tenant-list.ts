import type { ResellerTenant } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import { pick } from '../../routing/search-params.ts';
import type { Tone } from '../../ui/status-pill.tsx';

export const statuses: Readonly<Record<ResellerTenant['status'], { readonly label: string; readonly tone: Tone }>> = {
  active: { label: 'Active', tone: 'success' },
  suspended: { label: 'Suspended', tone: 'warning' },
  creating: { label: 'Being set up', tone: 'info' },
  importing: { label: 'Being copied', tone: 'info' },
  deleting: { label: 'Being deleted', tone: 'neutral' },
};

export const roles: Readonly<Record<ResellerTenant['role'], string>> = {
  merchant: 'Merchant',
  reseller: 'Reseller',
  platform_owner: 'Platform',
};

export const filters: readonly Filter[] = [
  {
    key: 'status',
    label: 'Status',
    options: Object.entries(statuses).map(([status, { label }]) => [status, label] as const),
  },
  { key: 'role', label: 'Kind', options: Object.entries(roles) },
];

export const listSearch = pick('search', 'sort_by', 'sort_order', 'status', 'role');
