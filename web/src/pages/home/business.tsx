import type { OrderDay, OrderPeriod, OrderStatistics } from '@chowk/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { LineChart, type Point } from '../../charts/line-chart.tsx';
import { ticksTo, wholeTicksTo } from '../../charts/ticks.ts';
import { count, money } from '../../format/numbers.ts';
import { Icon } from '../../ui/icon.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { allStatuses } from '../orders/status.ts';
import { periodName, usePeriod } from './period.tsx';
import { inWeeks } from './weeks.ts';

type Sums = Pick<OrderPeriod, 'orders' | 'revenue' | 'avg_order_value'>;

interface Metric {
  readonly key: string;
  readonly label: string;
  readonly read: (sums: Sums) => number;
  readonly format: (value: number, currency: string) => string;
  readonly formatTick: (value: number, currency: string) => string;
  readonly ticksTo: (max: number) => readonly number[];
}

const amount = {
  format: (value: number, currency: string) => money(String(value), currency),
  formatTick: compactMoney,
  ticksTo,
};

const metrics: readonly Metric[] = [
  { key: 'revenue', label: 'Revenue', read: ({ revenue }) => Number(revenue), ...amount },
  {
    key: 'orders',
    label: 'Orders',
    read: ({ orders }) => orders,
    format: count,
    formatTick: count,
    ticksTo: wholeTicksTo,
  },
  {
    key: 'average',
    label: 'Average order',
    ...amount,
    read: ({ avg_order_value }) => Number(avg_order_value),
  },
];

/** Revenue and orders of the period, against the one before. */
export function Business() {
  const days = usePeriod();
  const chart = useSearch({ from: '/shell/' }).chart;
  const navigate = useNavigate();
  const { data, error } = useApi(keys.orders.statistics(days), (client) => client.orders.statistics({ days }));
  // While another period is being read, the last one stays.
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  const statistics = data ?? last;
  const shown = metrics.find(({ key }) => key === chart) ?? (metrics[0] as Metric);
  if (error && !statistics) return <ReadError error={error} />;
  return (
    <section
      aria-label="Business"
      className={`grid gap-5 transition-opacity ${statistics && !data ? 'opacity-60' : ''}`}
    >
      <Today statistics={statistics} />
      <div className="grid gap-x-5 gap-y-1 sm:grid-cols-3">
        {metrics.map((metric) => (
          <MetricButton
            key={metric.key}
            metric={metric}
            statistics={statistics}
            isShown={metric === shown}
            onChoose={() =>
              void navigate({ to: '/', search: (search) => ({ ...search, chart: metric.key }), replace: true })
            }
          />
        ))}
      </div>
      <div className="relative min-w-0">
        {statistics ? <Chart metric={shown} statistics={statistics} /> : <Skeleton className="h-64 w-full" />}
        {statistics && <OtherCurrencies statistics={statistics} />}
      </div>
    </section>
  );
}

/** The orders that count: those that are confirmed, and not cancelled since. */
const countedStatuses = allStatuses.filter((status) => !['pending', 'cancelled', 'failed'].includes(status));

/** What has come in since midnight, with the orders themselves a click away. */
function Today({ statistics }: { readonly statistics: OrderStatistics | undefined }) {
  const day = statistics?.current.days.at(-1);
  if (!statistics || !day) return <Skeleton className="-mt-4 h-8 w-56" />;
  const { orders, revenue, date } = day;
  return (
    <p className="numeric -mt-4 flex min-h-8 flex-wrap items-center gap-x-2 text-secondary">
      Today
      <strong className="font-semibold text-text">{money(revenue, statistics.currency)}</strong>
      from
      <Link
        to="/orders"
        search={{ placed_from: date, placed_to: date, status: countedStatuses.join(',') }}
        className="text-accent underline-offset-4 hover:underline"
      >
        {orders === 1 ? '1 order' : `${count(orders)} orders`}
      </Link>
    </p>
  );
}

interface MetricButtonProps {
  readonly metric: Metric;
  readonly statistics: OrderStatistics | undefined;
  readonly isShown: boolean;
  readonly onChoose: () => void;
}

function MetricButton({ metric, statistics, isShown, onChoose }: MetricButtonProps) {
  const { label, read, format } = metric;
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onChoose}
      className="-ml-3 grid justify-items-start gap-x-3 gap-y-0.5 rounded-panel px-3 py-2.5 text-left transition-colors hover:bg-sunken aria-pressed:bg-sunken max-sm:-mr-3 max-sm:grid-cols-[1fr_auto] max-sm:items-center sm:last:-mr-3"
    >
      <span className="text-sm text-secondary">{label}</span>
      {statistics ? (
        <>
          <span className="numeric text-2xl font-semibold tracking-tight max-sm:row-span-2 max-sm:text-xl">
            {format(read(statistics.current), statistics.currency)}
          </span>
          <Change current={read(statistics.current)} previous={read(statistics.previous)} days={statistics.days} />
        </>
      ) : (
        <>
          <Skeleton className="my-1.5 h-6 w-28" />
          <Skeleton className="my-0.5 h-4 w-36" />
        </>
      )}
    </button>
  );
}

interface ChangeProps {
  readonly current: number;
  readonly previous: number;
  readonly days: number;
}

function Change({ current, previous, days }: ChangeProps) {
  if (previous === 0) return <span className="text-sm text-faint">None in the {periodName(days)} before</span>;
  const percent = ((current - previous) / previous) * 100;
  const isUp = percent >= 0;
  const Arrow = isUp ? ArrowUp : ArrowDown;
  const text = new Intl.NumberFormat(undefined, { maximumFractionDigits: Math.abs(percent) < 10 ? 1 : 0 });
  if (text.format(Math.abs(percent)) === '0') {
    return <span className="text-sm text-faint">As in the {periodName(days)} before</span>;
  }
  return (
    <span className="numeric flex items-center gap-1 text-sm whitespace-nowrap text-faint">
      <span className={`flex items-center gap-0.5 font-medium ${isUp ? 'text-success' : 'text-error'}`}>
        <Icon icon={Arrow} size={14} strokeWidth={2} label={isUp ? 'up' : 'down'} />
        {text.format(Math.abs(percent))}%
      </span>
      <span className="max-sm:sr-only">from the {periodName(days)} before</span>
    </span>
  );
}

interface ChartProps {
  readonly metric: Metric;
  readonly statistics: OrderStatistics;
}

function Chart({ metric: { label, read, format, formatTick, ticksTo: ticks }, statistics }: ChartProps) {
  const { currency, days } = statistics;
  const unit = days > 90 ? 'week' : 'day';
  const [current, previous] = [statistics.current.days, statistics.previous.days].map((all) =>
    unit === 'week' ? inWeeks(all) : all,
  ) as [readonly OrderDay[], readonly OrderDay[]];
  const points = current.map((day, index): Point => {
    const before = previous[index] ?? day;
    return {
      key: day.date,
      label: shortDay(day.date),
      name: unit === 'week' ? `Week from ${shortDay(day.date)}` : longDay(day.date),
      value: read(day),
      previousName: unit === 'week' ? `Week from ${shortDay(before.date)}` : longDay(before.date),
      previous: read(before),
    };
  });
  const most = Math.max(...points.flatMap(({ value, previous: before }) => [value, before]));
  return (
    <LineChart
      label={label}
      points={points}
      ticks={ticks(most)}
      format={(value) => format(value, currency)}
      formatTick={(value) => formatTick(value, currency)}
      legend={[`Last ${periodName(days)}`, `The ${periodName(days)} before`]}
      unit={unit}
    />
  );
}

/** The date is a day of the tenant's calendar, whatever the time zone of the browser. */
function shortDay(date: string): string {
  return new Date(date).toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

function longDay(date: string): string {
  const style = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Date(date).toLocaleDateString(undefined, style);
}

function compactMoney(value: number, currency: string): string {
  const style = { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, style).format(value);
}

function OtherCurrencies({ statistics: { current, currency } }: { readonly statistics: OrderStatistics }) {
  if (current.other_currencies.length === 0) return null;
  const parts = current.other_currencies.map(
    ({ currency: other, orders, revenue }) =>
      `${money(revenue, other)} from ${count(orders)} ${orders === 1 ? 'order' : 'orders'}`,
  );
  return (
    // Beside the legend, where there is room.
    <p className="numeric text-xs text-secondary max-lg:mt-3 lg:absolute lg:bottom-0 lg:left-0 lg:max-w-2/3 lg:truncate">
      Revenue is that of orders in {currency}. In other currencies: {parts.join(', ')}.
    </p>
  );
}
