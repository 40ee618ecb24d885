import type { ReactNode } from 'react';
import { TabbedPage } from '../../shell/tabbed-page.tsx';
import { tenantTabs } from '../../shell/tabs.ts';

interface TenantsLayoutProps {
  readonly tab: (typeof tenantTabs)[number]['to'];
  readonly children: ReactNode;
}

/** What a reseller has brought, and what it gives to all of them. */
export function TenantsLayout(props: TenantsLayoutProps) {
  return <TabbedPage title="Tenants" tabs={tenantTabs} {...props} />;
}
