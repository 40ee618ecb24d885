import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../api/use-api.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Needs } from '../../shell/needs.tsx';
import { activityTabs as tabs } from '../../shell/tabs.ts';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';

interface ActivityLayoutProps {
  readonly tab: (typeof tabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function ActivityLayout({ tab, actions, detail, children }: ActivityLayoutProps) {
  const can = useCan();
  const { permission } = tabs.find(({ to }) => to === tab) as (typeof tabs)[number];
  return (
    <Needs permission={permission}>
      <ListPage title="Activity" actions={actions} detail={detail}>
        <TabBar label="Activity">
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
