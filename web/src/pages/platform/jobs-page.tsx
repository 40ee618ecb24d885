import type { PlatformJob } from '@chowk/client';
import { Link, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';
import { tabStyle } from '../../ui/tabs.tsx';
import { PlatformLayout } from './platform-layout.tsx';
import { useRepeat } from './use-repeat.ts';

const states: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  failed: { label: 'Failed', tone: 'error' },
  active: { label: 'Running', tone: 'info' },
  retry: { label: 'Waits for a retry', tone: 'warning' },
  created: { label: 'Waiting', tone: 'neutral' },
};

/** Background jobs: those that have failed permanently and, on request, those that run or wait. */
export function JobsPage() {
  const isAll = useSearch({ from: '/shell/platform/jobs' }).show === 'all';
  return (
    <PlatformLayout tab="/platform/jobs">
      <nav aria-label="Jobs" className="flex">
        <Link to="/platform/jobs" aria-current={isAll ? undefined : 'page'} className={tabStyle}>
          Failed
        </Link>
        <Link
          to="/platform/jobs"
          search={{ show: 'all' }}
          aria-current={isAll ? 'page' : undefined}
          className={tabStyle}
        >
          All
        </Link>
      </nav>
      <Jobs key={String(isAll)} isAll={isAll} />
    </PlatformLayout>
  );
}

function Jobs({ isAll }: { readonly isAll: boolean }) {
  const canManage = useCan()('platform.rings.manage');
  const { data, error } = useApi(keys.platform.jobList({ isAll }), (client) =>
    client.platform.listJobs(isAll ? {} : { failed: true }),
  );
  useRepeat(isAll, keys.platform.jobs);
  const retryAll = useAction((client) => client.platform.retryJobs(), {
    affects: [keys.platform.jobs],
    done: ({ retried }) => (retried === 1 ? 'One job is tried again.' : `${count(retried)} jobs are tried again.`),
  });
  if (!data) return <Loading error={error} className="mt-4 h-40" />;
  if (data.jobs.length === 0) {
    return (
      <EmptyState icon={CircleCheck} title={isAll ? 'No jobs' : 'No failed jobs'}>
        {isAll ? 'Nothing runs or waits now.' : 'Jobs whose last retry has failed are listed here for 90 days.'}
      </EmptyState>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pt-3 pb-12">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2 pb-2">
        <span className="text-sm text-secondary">
          {count(data.total)} {data.total === 1 ? 'job' : 'jobs'}
          {data.total > data.jobs.length && `, the first ${count(data.jobs.length)} are shown`}
        </span>
        {!isAll && canManage && (
          <Button isBusy={retryAll.isPending} onClick={() => retryAll.mutate(undefined)}>
            Retry all
          </Button>
        )}
      </div>
      <ul aria-label="Jobs" className="divide-y divide-line border-t border-line">
        {data.jobs.map((job) => (
          <JobItem key={job.id} job={job} canRetry={canManage && job.state === 'failed'} />
        ))}
      </ul>
    </div>
  );
}

interface JobItemProps {
  readonly job: PlatformJob;
  readonly canRetry: boolean;
}

function JobItem({ job: { id, job, tenant, state, tries, error, created_at, ring }, canRetry }: JobItemProps) {
  const { label, tone } = states[state] ?? { label: state, tone: 'neutral' };
  const retry = useAction((client) => client.platform.retryJob({ id }), {
    affects: [keys.platform.jobs],
    done: () => `${job} is tried again.`,
  });
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 py-3">
      <div className="grid min-w-56 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{job}</span>
          <StatusPill tone={tone}>{label}</StatusPill>
        </span>
        {error && <span className="text-sm break-words text-secondary">{error}</span>}
        <span className="text-sm text-faint">
          {tenant ? (
            <Link to="/platform/tenants/$id" params={{ id: tenant }} className="underline underline-offset-4">
              {tenant}
            </Link>
          ) : (
            'Platform'
          )}
          {ring && `, ring ${ring}`}
          {state !== 'failed' && tries > 1 && `, try ${tries}`}, <RelativeTime time={created_at} />
        </span>
      </div>
      {canRetry && (
        <Button aria-label={`Retry ${job}`} isBusy={retry.isPending} onClick={() => retry.mutate(undefined)}>
          Retry
        </Button>
      )}
    </li>
  );
}
