import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/use-api.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Needs } from '../../shell/needs.tsx';
import { platformTabs as tabs } from '../../shell/tabs.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';

interface PlatformLayoutProps {
  readonly tab: (typeof tabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

/** The title and the tabs of all pages of the platform. */
export function PlatformLayout({ tab, actions, detail, children }: PlatformLayoutProps) {
  if (useMe().data?.tenant_role !== 'platform_owner') {
    return (
      <EmptyState icon={Lock} title="This page belongs to the owner of the platform">
        Only members of the organization that runs the platform can open it.
      </EmptyState>
    );
  }
  return (
    <Needs permission={tab === '/platform/releases' ? 'platform.releases.view' : 'platform.rings.view'}>
      <ListPage title="Platform" actions={actions} detail={detail}>
        <TabBar label="Platform">
          {tabs.map(({ to, label }) => (
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
