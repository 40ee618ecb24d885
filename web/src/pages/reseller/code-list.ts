import type { ReferralCode } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import { pick } from '../../routing/search-params.ts';

export const roles: Readonly<Record<ReferralCode['tenant_role'], string>> = {
  merchant: 'Merchant',
  reseller: 'Reseller',
};

export const filters: readonly Filter[] = [{ key: 'tenant_role', label: 'For', options: Object.entries(roles) }];

export const views = [{ label: 'All', search: {} }];

const searchKeys: readonly string[] = ['search', 'sort_by', 'sort_order', ...filters.map(({ key }) => key)];

export const viewList: ViewList = { action: 'referralCodes.list', fields: searchKeys };

export const listSearch = pick(...searchKeys);

/** The page on which a business applies. */
export function applyLink(code: string): string {
  return `${location.origin}/apply?code=${encodeURIComponent(code)}`;
}
