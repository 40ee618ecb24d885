import type { ReportsStockInput, StockRow } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { Package } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { BarList } from '../../charts/bar-list.tsx';
import { count, money } from '../../format/numbers.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Figures } from './figures.tsx';
import { type Column, Pages, ReportTable } from './report-table.tsx';
import { useReportSearch } from './search.ts';

const sorts = ['value', 'available', 'stock', 'sku', 'title'] as const;

/** What is on hand now, and what it is worth. */
export function StockReport() {
  const { search, show } = useReportSearch();
  const isLow = search.stock === 'low';
  const input: ReportsStockInput = {
    ...(isLow ? { low_stock: true } : {}),
    sort_by: sorts.find((name) => name === search.sort) ?? 'value',
    sort_order: search.order === 'asc' ? 'asc' : 'desc',
    page: Number(search.page ?? 1) || 1,
    per_page: 50,
  };
  const { data, error } = useApi(keys.reports.stock(input), (client) => client.reports.stock(input));
  if (!data) return <Loading error={error} className="h-96" />;
  const { totals, variants, currency, pagination } = data;
  if (totals.variants === 0) {
    return (
      <EmptyState icon={Package} title="No products yet">
        As soon as there are products, this report shows what is on hand and what it is worth.
      </EmptyState>
    );
  }
  const bars = variants
    .slice(0, 8)
    .map((row) => ({ key: row.variant_id, name: nameVariant(row), value: Number(row.value) }));
  return (
    <div className="grid min-w-0 gap-6">
      <Figures
        figures={[
          { label: 'Value at sales prices', text: money(totals.value, currency) },
          { label: 'Units on hand', text: count(totals.units) },
          { label: 'Low', text: count(totals.low) },
          { label: 'Out of stock', text: count(totals.out_of_stock) },
        ]}
      />
      <BarList label="Value" bars={bars} format={(value) => money(String(value), currency)} />
      <div className="grid min-w-0 gap-2">
        <Checkbox
          label="Only what is low"
          checked={isLow}
          onChange={({ target }) => show({ stock: target.checked ? 'low' : undefined })}
        />
        {variants.length === 0 ? (
          <p className="py-10 text-center text-secondary">Nothing is low.</p>
        ) : (
          <ReportTable
            caption="Stock"
            columns={columnsIn(currency)}
            rows={variants}
            rowKey={({ variant_id }) => variant_id}
            defaultSort="value"
          />
        )}
      </div>
      <Pages pagination={pagination} name="variants" />
    </div>
  );
}

function nameVariant({ title, variant_title }: StockRow): string {
  return variant_title === '' ? title : `${title}, ${variant_title}`;
}

function columnsIn(currency: string): readonly Column<StockRow>[] {
  return [
    { label: 'Product', isText: true, sortBy: 'title', show: (row) => <ProductLink row={row} /> },
    { label: 'SKU', isText: true, sortBy: 'sku', show: ({ sku }) => sku },
    { label: 'On hand', sortBy: 'stock', show: ({ stock }) => count(stock) },
    { label: 'Reserved', show: ({ reserved }) => count(reserved) },
    {
      label: 'Available',
      sortBy: 'available',
      show: ({ available, is_low }) => (
        <span className={is_low ? 'font-medium text-warning' : ''}>{count(available)}</span>
      ),
    },
    { label: 'Price', show: ({ price }) => money(price, currency) },
    { label: 'Value', sortBy: 'value', show: ({ value }) => money(value, currency) },
  ];
}

function ProductLink({ row }: { readonly row: StockRow }) {
  return (
    <Link to="/products/$id" params={{ id: row.product_id }} className="font-medium underline-offset-4 hover:underline">
      {nameVariant(row)}
    </Link>
  );
}
