import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { EntrySections } from '../../modules/entry-content.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useLiveOrders } from '../orders/live-orders.ts';
import { Business } from './business.tsx';
import { FirstSteps, useFirstSteps } from './first-steps.tsx';
import { PeriodChoice } from './period.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { RecentOrders } from './recent-orders.tsx';
import { Segments } from './segments.tsx';
import { useVipsAtRisk, VipsAtRisk } from './vips-at-risk.tsx';
import { Waiting } from './waiting.tsx';

/** How business is, and what needs attention; each part for those who may see it. */
export function HomePage() {
  const can = useCan();
  const canViewOrders = can('orders.view');
  const canViewCustomers = can('customers.view');
  const canViewReports = can('reports.view');
  const counts = useApi(keys.orders.counts, (client) => client.orders.countByStatus(), canViewOrders);
  const vips = useVipsAtRisk(canViewCustomers);
  const isNew = counts.data?.total === 0;
  const progress = useFirstSteps(isNew);
  const isLoading = counts.isLoading || (!isNew && progress.isLoading);
  return (
    <Page title="Home" actions={canViewReports && !isNew && <PeriodChoice />}>
      {canViewOrders && <LiveOrders />}
      {/* The parts are read meanwhile. */}
      {isLoading && <HomeLoading />}
      <div className={isLoading ? 'hidden' : 'contents'}>
        {isNew && <FirstSteps progress={progress} isNew />}
        {canViewReports && !isNew && <Business />}
        {!isNew && progress.isShown && <FirstSteps progress={progress} isNew={false} />}
        <div className="grid items-start gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <div className="grid min-w-0 gap-10">
            {(canViewOrders || can('conversations.view')) && (
              <Waiting counts={counts.data?.counts} error={counts.error} isNew={isNew} />
            )}
            {canViewOrders && !isNew && <RecentOrders />}
            <EntrySections place="home" />
          </div>
          <div className="grid min-w-0 gap-10">
            {/* Together, so that the one does not move the other. */}
            {vips.isLoading ? <Skeleton className="h-60 w-full" /> : canViewCustomers && <Customers />}
            {can('audit.view') && !isNew && <RecentActivity />}
          </div>
        </div>
      </div>
    </Page>
  );
}

/** In the shape of the figures, the chart and what is waiting. */
function HomeLoading() {
  return (
    <div className="grid gap-8">
      <div className="grid gap-5 sm:grid-cols-3">
        {['revenue', 'orders', 'average'].map((figure) => (
          <Skeleton key={figure} className="h-20 w-full" />
        ))}
      </div>
      <Skeleton className="h-64 w-full" />
      <Skeleton className="h-32 w-full max-w-3xl" />
    </div>
  );
}

function Customers() {
  return (
    <>
      <VipsAtRisk />
      <Segments />
    </>
  );
}

function LiveOrders() {
  useLiveOrders(keys.orders.summaries, keys.customers.summaries);
  return null;
}
