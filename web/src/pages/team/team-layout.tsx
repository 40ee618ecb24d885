import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Needs } from '../../shell/needs.tsx';
import { teamTabs as tabs } from '../../shell/tabs.ts';
import { TabBar, TabCount, tabStyle } from '../../ui/tabs.tsx';

interface TeamLayoutProps {
  readonly tab: (typeof tabs)[number]['to'];
  readonly actions?: ReactNode;
  /** What is open beside the tab. */
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

/** The title and the tabs of all pages of the team. */
export function TeamLayout({ tab, actions, detail, children }: TeamLayoutProps) {
  const can = useCan();
  const { permission } = tabs.find(({ to }) => to === tab) as (typeof tabs)[number];
  return (
    <Needs permission={permission}>
      <ListPage title="Team" actions={actions} detail={detail}>
        <TabBar label="Team">
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
                {to === '/team/invitations' && <InvitationCount />}
              </Link>
            ))}
        </TabBar>
        {children}
      </ListPage>
    </Needs>
  );
}

function InvitationCount() {
  const { data } = useApi(keys.team.invitations, (client) => client.invitations.list({ per_page: 1 }));
  const total = data && 'total' in data.pagination ? data.pagination.total : 0;
  return total > 0 && <TabCount>{count(total)}</TabCount>;
}
