import type { Client } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import { ExportButton, type ExportFormat } from '../../list/export.tsx';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Page } from '../../ui/page.tsx';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';
import { useLiveOrders } from '../orders/live-orders.ts';
import { ConversationReport } from './conversation-report.tsx';
import { GroupReport, ProductReport } from './group-report.tsx';
import { type Period, PeriodChoice, usePeriod } from './period.tsx';
import { SalesReport } from './sales-report.tsx';
import { useReportSearch } from './search.ts';
import { StockReport } from './stock-report.tsx';
import { TaxReport } from './tax-report.tsx';

const reports = {
  sales: 'Sales',
  products: 'Products',
  customers: 'Customers',
  discounts: 'Discounts',
  taxes: 'Taxes',
  stock: 'Stock',
  conversations: 'Conversations',
} as const;
type Report = keyof typeof reports;

/** What was sold, to whom and for how much, and what is left. */
export function ReportsPage() {
  return (
    <Needs permission="reports.view">
      <Reports />
    </Needs>
  );
}

function Reports() {
  const { search } = useReportSearch();
  const can = useCan();
  const { period } = usePeriod();
  const shown = (Object.keys(reports) as Report[]).filter(
    (key) => key !== 'conversations' || can('conversations.view'),
  );
  const report = shown.find((key) => key === search.report) ?? 'sales';
  return (
    <Page
      title="Reports"
      actions={
        <>
          {report !== 'stock' && <PeriodChoice />}
          <ExportButton
            name={`${reports[report].toLowerCase()} report`}
            total={undefined}
            read={(client, format, signal) => exportReport(client, { report, format, period, search }, signal)}
          />
        </>
      }
    >
      {can('orders.view') && <LiveOrders />}
      <div className="grid min-w-0 gap-6">
        <TabBar label="Reports">
          {shown.map((key) => (
            <Link
              key={key}
              to="/reports"
              search={addressFor(key, search)}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={key === report ? 'page' : undefined}
              className={tabStyle}
            >
              {reports[key]}
            </Link>
          ))}
        </TabBar>
        {report === 'sales' && <SalesReport />}
        {report === 'products' && <ProductReport />}
        {report === 'customers' && <GroupReport group="segment" />}
        {report === 'discounts' && <GroupReport group="discount" />}
        {report === 'taxes' && <TaxReport />}
        {report === 'stock' && <StockReport />}
        {report === 'conversations' && <ConversationReport />}
      </div>
    </Page>
  );
}

/** Another report of the same days. */
function addressFor(report: Report, { days, from, to, currency }: Search) {
  const kept = Object.entries({ days, from, to, currency }).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...(report === 'sales' ? {} : { report }) };
}

function LiveOrders() {
  useLiveOrders(keys.reports.all);
  return null;
}

interface Exported {
  readonly report: Report;
  readonly format: ExportFormat;
  readonly period: Period;
  readonly search: { readonly by?: string | undefined; readonly stock?: string | undefined };
}

function exportReport(client: Client, { report, format, period, search }: Exported, signal: AbortSignal) {
  const options = { signal };
  if (report === 'stock') {
    return client.reports.exportStock({ format, ...(search.stock === 'low' ? { low_stock: true } : {}) }, options);
  }
  if (report === 'conversations') {
    const { from, to } = period;
    const group_by = search.by === 'channel' ? 'channel' : 'member';
    return client.conversations.exportFigures({ format, from, to, group_by }, options);
  }
  if (report === 'taxes') return client.reports.exportTaxes({ format, ...period }, options);
  const groups = {
    sales: 'day',
    products: search.by === 'variant' ? 'variant' : 'product',
    customers: 'segment',
    discounts: 'discount',
  } as const;
  return client.reports.exportSales({ format, ...period, group_by: groups[report] }, options);
}
