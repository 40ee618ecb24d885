import { Pagination, type Route, systemRoute, Type } from '@chowk/kit';
import { exportActivity } from './activity-export.ts';
import { ActivityQuery, Entry, Filters, listActivity } from './activity-log.ts';

const tag = 'Activity';

export const activityRoutes: Route[] = [
  systemRoute({
    method: 'GET',
    path: '/activity',
    tag,
    summary: 'What happened in the tenant and to the accounts of its members, the newest first.',
    needs: 'activity.view',
    query: ActivityQuery,
    answer: Type.Object({ activity: Type.Array(Entry), pagination: Pagination }),
    run: (ctx, { query }) => listActivity(ctx, query),
  }),
  systemRoute({
    method: 'GET',
    path: '/activity/export',
    tag,
    summary: 'The same as a CSV file.',
    needs: 'activity.export',
    query: Filters,
    run: async (ctx, { query }) => exportActivity(ctx, query),
  }),
];
