import type { Profile } from '@chowk/client';
import { Link, useSearch } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Page } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';
import { ActivityTab } from './activity-tab.tsx';
import { DetailsTab } from './details-tab.tsx';
import { SecurityTab } from './security-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';

interface Tab {
  /** In the address; the first tab has none. */
  readonly key: string | undefined;
  readonly label: string;
  readonly Content: ComponentType<{ readonly profile: Profile }>;
}

const details: Tab = { key: undefined, label: 'Details', Content: DetailsTab };
const tabs: readonly Tab[] = [
  details,
  { key: 'security', label: 'Security', Content: SecurityTab },
  { key: 'sessions', label: 'Sessions', Content: SessionsTab },
  { key: 'tokens', label: 'Tokens', Content: TokensTab },
  { key: 'activity', label: 'Activity', Content: ActivityTab },
];

/** The user's own account, the same in all tenants. */
export function ProfilePage() {
  const { tab } = useSearch({ from: '/shell/profile' });
  const { data, error } = useApi(keys.profile.details, (client) => client.profile.get());
  const current = tabs.find((one) => one.key === tab) ?? details;
  return (
    <Page title="Profile" isNarrow>
      <TabBar label="Profile" className="-mt-4">
        {tabs.map(({ key, label }) => (
          <Link
            key={label}
            to="/profile"
            search={key === undefined ? {} : { tab: key }}
            // The router would mark the first tab on all of them.
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={key === current.key ? 'page' : undefined}
            className={tabStyle}
          >
            {label}
          </Link>
        ))}
      </TabBar>
      {error && !data ? (
        <ReadError error={error} />
      ) : data ? (
        <current.Content profile={data.profile} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Page>
  );
}
