import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../api/use-api.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Needs } from '../../shell/needs.tsx';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';

const tabs = [
  { to: '/tenants', label: 'Tenants', permission: 'reseller.tenants.view' },
  { to: '/tenants/products', label: 'Mandatory products', permission: 'reseller.catalogue.manage' },
] as const;

interface TenantsLayoutProps {
  readonly tab: (typeof tabs)[number]['to'];
  readonly children: ReactNode;
}

/** What a reseller has brought, and what it gives to all of them. */
export function TenantsLayout({ tab, children }: TenantsLayoutProps) {
  const can = useCan();
  const { permission } = tabs.find(({ to }) => to === tab) as (typeof tabs)[number];
  return (
    <Needs permission={permission}>
      <ListPage title="Tenants">
        <TabBar label="Tenants">
          {tabs
            .filter((one) => can(one.permission))
            .map(({ to, label }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: true }}
                aria-current={to === tab ? 'page' : undefined}
                className={tabStyle}
              >
                {label}
              </Link>
            ))}
        </TabBar>
        {children}
      </ListPage>
    </Needs>
  );
}
