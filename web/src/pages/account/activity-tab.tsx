import type { OwnActivityEntry } from '@chowk/client';
import { Link, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Section } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { describeActivity } from './activity-sentence.ts';
import { describeDevice } from './user-agent.ts';

const perPage = 30;

export function ActivityTab() {
  const { page: text = '1' } = useSearch({ from: '/shell/profile' });
  const page = Math.max(1, Math.trunc(Number(text)) || 1);
  const { data, error } = useApi(keys.profile.activityPage(page), (client) =>
    client.profile.activity({ page, per_page: perPage }),
  );
  return (
    <Section title="Activity of your account" lead="Sign-ins and changes, newest first.">
      {error && !data && <ReadError error={error} />}
      {!data && !error && <Skeleton className="h-64 w-full" />}
      {data?.activity.length === 0 && <p className="border-y border-line py-6 text-secondary">Nothing yet.</p>}
      {data && data.activity.length > 0 && (
        <ol className="divide-y divide-line border-y border-line">
          {data.activity.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {data && data.pagination.last_page > 1 && <Pages page={page} lastPage={data.pagination.last_page} />}
    </Section>
  );
}

function Entry({ entry }: { readonly entry: OwnActivityEntry }) {
  const { at, ip, user_agent } = entry;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2.5">
      <span className="wrap-anywhere">{describeActivity(entry)}</span>
      <span className="text-sm">
        <RelativeTime time={at} />
      </span>
      <span className="text-sm text-faint">{[describeDevice(user_agent), ip].filter(Boolean).join(' · ')}</span>
    </li>
  );
}

interface PagesProps {
  readonly page: number;
  readonly lastPage: number;
}

function Pages({ page, lastPage }: PagesProps) {
  const style =
    'inline-flex h-9 items-center rounded-control border border-edge/60 bg-surface px-3.5 font-medium hover:bg-sunken max-md:h-11';
  const searchParams = (next: number) => ({ tab: 'activity', ...(next > 1 && { page: String(next) }) });
  return (
    <nav aria-label="Pages" className="flex items-center gap-3">
      {page > 1 && (
        <Link to="/profile" search={searchParams(page - 1)} className={style}>
          Newer
        </Link>
      )}
      {page < lastPage && (
        <Link to="/profile" search={searchParams(page + 1)} className={style}>
          Older
        </Link>
      )}
      <span className="numeric text-sm text-secondary">
        Page {page} of {lastPage}
      </span>
    </nav>
  );
}
