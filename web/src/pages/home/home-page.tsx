import { useApi, useCan } from '../../api-query.ts';
import { Page } from '../../ui/page.tsx';
import { useLiveOrders } from '../orders/live-orders.ts';
import { Business } from './business.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PeriodChoice } from './period.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { RecentOrders } from './recent-orders.tsx';
import { Segments } from './segments.tsx';
import { VipsAtRisk } from './vips-at-risk.tsx';
import { Waiting } from './waiting.tsx';

/** How business is, and what needs attention; each part for those who may see it. */
export function HomePage() {
  const can = useCan();
  const seesOrders = can('orders.view');
  const counts = useApi(['orders', 'counts'], (client) => client.orders.countByStatus(), seesOrders);
  const isNew = counts.data?.total === 0;
  return (
    <Page title="Home" actions={seesOrders && !isNew && <PeriodChoice />}>
      {seesOrders && <LiveOrders />}
      {isNew && <FirstSteps />}
      {seesOrders && !isNew && <Business />}
      <div className="grid items-start gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 gap-10">
          {(seesOrders || can('conversations.view')) && <Waiting counts={counts.data?.counts} isNew={isNew} />}
          {seesOrders && !isNew && <RecentOrders />}
        </div>
        <div className="grid min-w-0 gap-10">
          {can('customers.view') && <VipsAtRisk />}
          {can('customers.view') && <Segments />}
          {can('audit.view') && !isNew && <RecentActivity />}
        </div>
      </div>
    </Page>
  );
}

function LiveOrders() {
  useLiveOrders('customers');
  return null;
}
