import type { TaxRow } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { BarList } from '../../charts/bar-list.tsx';
import { count, money } from '../../format/numbers.ts';
import { OtherCurrencies, usePeriod } from './period.tsx';
import { ReportLoading } from './report-loading.tsx';
import { type Column, ReportTable } from './report-table.tsx';
import { useReport } from './use-report.ts';

/** What was charged of each tax. */
export function TaxReport() {
  const { period } = usePeriod();
  const { data, error } = useReport(keys.reports.taxes(period), (client) => client.reports.taxes(period));
  if (!data) return <ReportLoading error={error} className="h-96" />;
  const { taxes, totals, currency } = data;
  if (taxes.length === 0) return <p className="py-10 text-center text-secondary">No order of these days has a tax.</p>;
  const amount = (label: string, key: 'taxable' | 'tax' | 'refunded_tax' | 'net_tax') => ({
    label,
    show: (row: TaxRow) => (row.name === '' && key === 'taxable' ? '' : money(row[key], currency)),
  });
  const columns: readonly Column<TaxRow>[] = [
    { label: 'Tax', isText: true, show: (row) => (row.name === '' ? 'Total' : nameTax(row)) },
    { label: 'Orders', show: ({ name, orders }) => (name === '' ? '' : count(orders)) },
    amount('Taxable', 'taxable'),
    amount('Tax', 'tax'),
    amount('Refunded', 'refunded_tax'),
    amount('Net tax', 'net_tax'),
  ];
  const bars = taxes.map((row) => ({ key: nameTax(row), name: nameTax(row), value: Number(row.tax) }));
  return (
    <div className="grid min-w-0 gap-6">
      <BarList label="Tax" bars={bars} format={(value) => money(String(value), currency)} />
      <OtherCurrencies report={data} />
      <ReportTable
        caption="Taxes"
        columns={columns}
        rows={taxes}
        rowKey={nameTax}
        total={{ name: '', rate: null, orders: 0, taxable: '0.00', ...totals }}
      />
    </div>
  );
}

function nameTax({ name, rate }: TaxRow): string {
  return rate === null ? name : `${name} ${Number(rate)} %`;
}
