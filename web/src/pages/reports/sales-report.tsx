import type { SalesReport as Report, ReportsSalesInput, SalesRow } from '@chowk/client';
import { TrendingUp } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { LineChart, type Point } from '../../charts/line-chart.tsx';
import { ticksTo, wholeTicksTo } from '../../charts/ticks.ts';
import { count, money } from '../../format/numbers.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figures } from './figures.tsx';
import { OtherCurrencies, usePeriod } from './period.tsx';
import { ReportLoading } from './report-loading.tsx';
import { type Column, ReportTable } from './report-table.tsx';
import { useReportSearch } from './search.ts';
import { useReport } from './use-report.ts';

type Unit = 'day' | 'week' | 'month';
type Metric = 'revenue' | 'net_revenue' | 'orders' | 'units';

const metrics: readonly (readonly [Metric, string])[] = [
  ['revenue', 'Revenue'],
  ['net_revenue', 'Net revenue'],
  ['orders', 'Orders'],
  ['units', 'Units sold'],
];
const isAmount = (metric: Metric) => metric === 'revenue' || metric === 'net_revenue';

/** Days while they can be told apart, then weeks and months. */
function unitFor(days: number): Unit {
  if (days <= 92) return 'day';
  return days <= 400 ? 'week' : 'month';
}

function useSales(input: ReportsSalesInput) {
  return useReport(keys.reports.sales(input), (client) => client.reports.sales(input));
}

/** Sales over time, against the period before. */
export function SalesReport() {
  const { search, show } = useReportSearch();
  const { period, days, before } = usePeriod();
  const unit = unitFor(days);
  const current = useSales({ group_by: unit, ...period });
  const previous = useSales({ group_by: unit, ...before });
  const shown = metrics.find(([key]) => key === search.chart)?.[0] ?? 'revenue';
  const report = current.data;
  if (report && report.totals.orders === 0 && previous.data?.totals.orders === 0) return <NoSales report={report} />;
  const format = (metric: Metric, value: number) =>
    isAmount(metric) ? money(String(value), report?.currency ?? 'INR') : count(value);
  return (
    <div className="grid min-w-0 gap-6">
      <Figures
        figures={metrics.map(([key, label]) => ({
          label,
          text: report && format(key, Number(report.totals[key])),
          change: report && previous.data && [Number(report.totals[key]), Number(previous.data.totals[key])],
          isShown: key === shown,
          onChoose: () => show({ chart: key }),
        }))}
      />
      {report && previous.data ? (
        <Chart metric={shown} report={report} before={previous.data} unit={unit} days={days} format={format} />
      ) : (
        <ReportLoading error={current.error ?? previous.error} className="h-64" />
      )}
      {report && <OtherCurrencies report={report} />}
      {report && <SalesTable report={report} unit={unit} />}
    </div>
  );
}

interface ChartProps {
  readonly metric: Metric;
  readonly report: Report;
  readonly before: Report;
  readonly unit: Unit;
  readonly days: number;
  readonly format: (metric: Metric, value: number) => string;
}

function Chart({ metric, report, before, unit, days, format }: ChartProps) {
  const value = (row: SalesRow | undefined) => Number(row?.[metric] ?? 0);
  const points = report.rows.map((row, index): Point => {
    const earlier = before.rows[index];
    return {
      key: row.key,
      label: shortName(row.key, unit),
      name: longName(row.key, unit),
      value: value(row),
      previousName: earlier ? longName(earlier.key, unit) : '',
      previous: value(earlier),
    };
  });
  const most = Math.max(...points.flatMap((point) => [point.value, point.previous]));
  return (
    <LineChart
      label={metrics.find(([key]) => key === metric)?.[1] ?? ''}
      unit={unit}
      points={points}
      ticks={(isAmount(metric) ? ticksTo : wholeTicksTo)(most)}
      format={(number) => format(metric, number)}
      formatTick={(number) => (isAmount(metric) ? compactMoney(number, report.currency) : count(number))}
      legend={[`These ${days} days`, `The ${days} days before`]}
    />
  );
}

function SalesTable({ report: { rows, totals, currency }, unit }: { readonly report: Report; readonly unit: Unit }) {
  const amount = (label: string, key: 'revenue' | 'discounts' | 'refunded' | 'taxes' | 'shipping' | 'net_revenue') => ({
    label,
    show: (row: SalesRow) => money(row[key], currency),
  });
  const names = { day: 'Day', week: 'Week from', month: 'Month' };
  const columns: readonly Column<SalesRow>[] = [
    { label: names[unit], isText: true, show: ({ key }) => (key === '' ? 'Total' : longName(key, unit)) },
    { label: 'Orders', show: ({ orders }) => count(orders) },
    { label: 'Units', show: ({ units }) => count(units) },
    amount('Revenue', 'revenue'),
    amount('Discounts', 'discounts'),
    amount('Taxes', 'taxes'),
    amount('Shipping', 'shipping'),
    amount('Refunded', 'refunded'),
    amount('Net revenue', 'net_revenue'),
  ];
  return (
    <ReportTable
      caption="Sales over time"
      columns={columns}
      // The latest first; days without orders would only be scrolled past.
      rows={rows.filter(({ orders }) => orders > 0).reverse()}
      rowKey={({ key }) => key}
      total={{ key: '', name: '', code: null, ...totals }}
    />
  );
}

export function NoSales({ report }: { readonly report: Report }) {
  return (
    <EmptyState icon={TrendingUp} title="No sales on these days">
      Orders count as soon as they are confirmed. Choose other days, or look at the orders.
      <OtherCurrencies report={report} />
    </EmptyState>
  );
}

/** The date is a day of the tenant's calendar, whatever the time zone of the browser. */
function shortName(date: string, unit: Unit): string {
  return formatDay(date, unit === 'month' ? { month: 'short', year: '2-digit' } : { day: 'numeric', month: 'short' });
}

function longName(date: string, unit: Unit): string {
  if (unit === 'month') return formatDay(date, { month: 'long', year: 'numeric' });
  return formatDay(date, {
    ...(unit === 'day' ? { weekday: 'short' } : {}),
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

function formatDay(date: string, style: Intl.DateTimeFormatOptions): string {
  return new Date(date).toLocaleDateString(undefined, { ...style, timeZone: 'UTC' });
}

function compactMoney(value: number, currency: string): string {
  const style = { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, style).format(value);
}
