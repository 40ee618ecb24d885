import type { ReactNode } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { TabbedPage } from '../../shell/tabbed-page.tsx';
import { teamTabs } from '../../shell/tabs.ts';
import { TabCount } from '../../ui/tabs.tsx';

interface TeamLayoutProps {
  readonly tab: (typeof teamTabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function TeamLayout(props: TeamLayoutProps) {
  return <TabbedPage title="Team" tabs={teamTabs} after={{ '/team/invitations': <InvitationCount /> }} {...props} />;
}

function InvitationCount() {
  const { data } = useApi(keys.team.invitations, (client) => client.invitations.list({ per_page: 1 }));
  const total = data && 'total' in data.pagination ? data.pagination.total : 0;
  return total > 0 && <TabCount>{count(total)}</TabCount>;
}
