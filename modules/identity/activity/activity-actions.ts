import { systemAction } from '@chowk/kit';
import { activityLog } from './activity-log.ts';

const tag = 'Activity';

export const activityActions = {
  'activity.list': systemAction({
    summary: 'List activity',
    description: 'Changes in the tenant and to the accounts of its members, newest first.',
    tag,
    http: 'GET /activity',
    graphql: 'activity',
    needs: 'activity.view',
    ...activityLog.paged,
  }),
  'activity.export': systemAction({
    summary: 'Export activity',
    tag,
    http: 'GET /activity/export',
    needs: 'activity.export',
    ...activityLog.exported,
  }),
};
