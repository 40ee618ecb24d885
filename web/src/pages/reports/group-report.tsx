import type { ReportsSalesInput, SalesRow } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { BarList } from '../../charts/bar-list.tsx';
import { count, money } from '../../format/numbers.ts';
import { GroupChoice } from './group-choice.tsx';
import { OtherCurrencies, usePeriod } from './period.tsx';
import { ReportLoading } from './report-loading.tsx';
import { type Column, Pages, ReportTable } from './report-table.tsx';
import { NoSales } from './sales-report.tsx';
import { useReportSearch } from './search.ts';
import { useReport } from './use-report.ts';

type Group = 'product' | 'variant' | 'segment' | 'discount';
const sorts = ['revenue', 'net_revenue', 'orders', 'units', 'discounts', 'refunded', 'name'] as const;

const names: Readonly<Record<Group, readonly [string, string]>> = {
  product: ['Product', 'products'],
  variant: ['Variant', 'variants'],
  segment: ['Segment', 'segments'],
  discount: ['Discount', 'discounts'],
};

/** Products and variants are one report; the address says which. */
export function ProductReport() {
  const { search } = useReportSearch();
  const group = search.by === 'variant' ? 'variant' : 'product';
  return (
    <div className="grid min-w-0 gap-4">
      <GroupChoice
        choices={[
          ['product', 'Products'],
          ['variant', 'Variants'],
        ]}
        value={group}
      />
      <GroupReport group={group} />
    </div>
  );
}

/** What each product, variant, segment or discount has sold. */
export function GroupReport({ group }: { readonly group: Group }) {
  const { search } = useReportSearch();
  const { period } = usePeriod();
  const input: ReportsSalesInput = {
    group_by: group,
    ...period,
    sort_by: sorts.find((name) => name === search.sort) ?? (group === 'discount' ? 'discounts' : 'revenue'),
    sort_order: search.order === 'asc' ? 'asc' : 'desc',
    page: Number(search.page ?? 1) || 1,
    per_page: 50,
  };
  const { data, error } = useReport(keys.reports.sales(input), (client) => client.reports.sales(input));
  if (!data) return <ReportLoading error={error} className="h-96" />;
  const { rows, currency, pagination } = data;
  if (rows.every(({ orders }) => orders === 0))
    return group === 'discount' ? <NoDiscounts /> : <NoSales report={data} />;
  const chart = group === 'discount' ? 'discounts' : 'revenue';
  const bars = rows.slice(0, 8).map((row) => ({ key: row.key, name: row.name, value: Number(row[chart]) }));
  return (
    <div className="grid min-w-0 gap-6">
      <BarList
        label={chart === 'revenue' ? 'Revenue' : 'Discounts'}
        bars={bars}
        format={(value) => money(String(value), currency)}
      />
      <OtherCurrencies report={data} />
      <ReportTable
        caption={`Sales by ${group}`}
        columns={columnsFor(group, currency)}
        rows={rows}
        rowKey={({ key }) => key}
        defaultSort={input.sort_by ?? 'revenue'}
      />
      <Pages pagination={pagination} name={names[group][1]} />
    </div>
  );
}

function columnsFor(group: Group, currency: string): readonly Column<SalesRow>[] {
  const isSorted = group !== 'segment';
  const sorted = (sortBy: string) => (isSorted ? { sortBy } : {});
  const amount = (label: string, key: 'revenue' | 'discounts' | 'refunded' | 'net_revenue') => ({
    label,
    ...sorted(key),
    show: (row: SalesRow) => money(row[key], currency),
  });
  const code = { label: group === 'variant' ? 'SKU' : 'Code', isText: true, show: (row: SalesRow) => row.code ?? '' };
  return [
    { label: names[group][0], isText: true, ...sorted('name'), show: (row) => <Name group={group} row={row} /> },
    ...(group === 'variant' || group === 'discount' ? [code] : []),
    { label: 'Orders', ...sorted('orders'), show: ({ orders }) => count(orders) },
    { label: 'Units', ...sorted('units'), show: ({ units }) => count(units) },
    amount('Revenue', 'revenue'),
    amount('Discounts', 'discounts'),
    amount('Refunded', 'refunded'),
    amount('Net revenue', 'net_revenue'),
  ];
}

function Name({ group, row: { key, name } }: { readonly group: Group; readonly row: SalesRow }) {
  const style = 'font-medium hover:underline underline-offset-4';
  if (group === 'segment') {
    return (
      <Link to="/customers" search={{ segment: key }} className={style}>
        {name}
      </Link>
    );
  }
  // Items without a product have no page.
  if (group !== 'product' || key.includes(':')) return name;
  return (
    <Link to="/products/$id" params={{ id: key }} className={style}>
      {name}
    </Link>
  );
}

function NoDiscounts() {
  return <p className="py-10 text-center text-secondary">No order of these days has a discount.</p>;
}
