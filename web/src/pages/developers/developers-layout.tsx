import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../api/use-api.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Needs } from '../../shell/needs.tsx';
import { developerTabs as tabs } from '../../shell/tabs.ts';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';

interface DevelopersLayoutProps {
  readonly tab: (typeof tabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function DevelopersLayout({ tab, actions, detail, children }: DevelopersLayoutProps) {
  const can = useCan();
  const permission = tabs.find(({ to }) => to === tab)?.permission;
  const page = (
    <ListPage title="Developers" actions={actions} detail={detail}>
      <TabBar label="Developers">
        {tabs
          .filter((one) => one.permission === undefined || can(one.permission))
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
  );
  return permission === undefined ? page : <Needs permission={permission}>{page}</Needs>;
}
