import type { ResellerApplication } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import { pick } from '../../routing/search-params.ts';
import type { Tone } from '../../ui/status-pill.tsx';

type Labels<Value extends string> = Readonly<Record<Value, { readonly label: string; readonly tone: Tone }>>;

export const statuses: Labels<ResellerApplication['status']> = {
  pending: { label: 'To review', tone: 'warning' },
  provisioning: { label: 'Being set up', tone: 'info' },
  completed: { label: 'Approved', tone: 'success' },
  failed: { label: 'Set-up failed', tone: 'error' },
  rejected: { label: 'Rejected', tone: 'neutral' },
};

export const documentStatuses: Labels<ResellerApplication['kyc_status']> = {
  not_required: { label: 'Not needed', tone: 'neutral' },
  pending: { label: 'Waiting for upload', tone: 'neutral' },
  submitted: { label: 'To check', tone: 'warning' },
  verified: { label: 'Accepted', tone: 'success' },
  rejected: { label: 'Asked again', tone: 'neutral' },
};

const options = (labels: Labels<string>) => Object.entries(labels).map(([value, { label }]) => [value, label] as const);

export const filters: readonly Filter[] = [
  { key: 'status', label: 'Status', options: options(statuses) },
  { key: 'kyc_status', label: 'Documents', options: options(documentStatuses) },
];

export const views = [
  { label: 'All', search: {} },
  ...(['pending', 'provisioning', 'failed', 'completed', 'rejected'] as const).map((status) => ({
    label: statuses[status].label,
    search: { status },
  })),
];

/** What the address of the list can have. */
const searchKeys: readonly string[] = ['search', 'sort_by', 'sort_order', ...filters.map(({ key }) => key)];

export const viewList: ViewList = { action: 'onboarding.listApplications', fields: searchKeys };

export const listSearch = pick(...searchKeys);
