import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../api/use-api.ts';
import { ListPage } from '../list/list-page.tsx';
import { TabBar, tabStyle } from '../ui/tabs.tsx';
import { Needs } from './needs.tsx';
import type { Tab } from './tabs.ts';

interface TabbedPageProps<To extends Tab['to']> {
  readonly title: string;
  readonly tabs: readonly (Tab & { readonly to: To })[];
  readonly tab: To;
  readonly actions?: ReactNode;
  /** What is open beside the tab. */
  readonly detail?: ReactNode;
  /** What follows the label of a tab, such as a count. */
  readonly after?: Partial<Record<To, ReactNode>>;
  readonly children: ReactNode;
}

/** A page of the navigation with tabs: the title, and the tabs that the member may open. */
export function TabbedPage<To extends Tab['to']>({
  title,
  tabs,
  tab,
  actions,
  detail,
  after = {},
  children,
}: TabbedPageProps<To>) {
  const can = useCan();
  const permission = tabs.find(({ to }) => to === tab)?.permission;
  const page = (
    <ListPage title={title} actions={actions} detail={detail}>
      <TabBar label={title}>
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
              {after[to]}
            </Link>
          ))}
      </TabBar>
      {children}
    </ListPage>
  );
  return permission === undefined ? page : <Needs permission={permission}>{page}</Needs>;
}
