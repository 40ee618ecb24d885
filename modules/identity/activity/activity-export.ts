import { type Answer, download, inert, type SystemCtx } from '@chowk/kit';
import { type Entry, type Filters, streamActivity } from './activity-log.ts';

const columns: Readonly<Record<string, (entry: Entry) => string>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  user_id: ({ user }) => String(user?.id ?? ''),
  user_name: ({ user }) => inert(user?.name ?? ''),
  subject_id: ({ subject }) => String(subject?.id ?? ''),
  subject_name: ({ subject }) => inert(subject?.name ?? ''),
  details: ({ details }) => JSON.stringify(details),
  ip: ({ ip }) => ip ?? '',
  user_agent: ({ user_agent }) => inert(user_agent ?? ''),
};

/** Every entry that the filters find, in memory only a few at a time. */
export function exportActivity(ctx: SystemCtx, filters: Filters): Answer {
  return download(ctx, { name: 'activity', format: 'csv', rows: streamActivity(ctx, filters), columns });
}
