import type { CursorPagination, PagePagination } from '@chowk/client';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { useReportSearch } from './search.ts';

export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => ReactNode;
  /** The value of `sort_by`; without it, the rows cannot be sorted by the column. */
  readonly sortBy?: string;
  /** Text is aligned to the left. */
  readonly isText?: boolean;
}

interface ReportTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly defaultSort?: string;
  /** The last row. */
  readonly total?: Row | undefined;
}

export function ReportTable<Row>({ caption, columns, rows, rowKey, defaultSort, total }: ReportTableProps<Row>) {
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          {columns.map((column) => (
            <HeaderCell key={column.label} isNumber={!column.isText}>
              <ColumnName column={column} defaultSort={defaultSort} />
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
      {total && (
        <tfoot className="font-medium">
          <tr>
            <Cells columns={columns} row={total} />
          </tr>
        </tfoot>
      )}
    </Table>
  );
}

function Cells<Row>({ columns, row }: { readonly columns: readonly Column<Row>[]; readonly row: Row }) {
  return columns.map(({ label, show, isText }) => (
    <Cell key={label} isNumber={!isText} className={isText ? 'max-w-80 min-w-40 truncate' : 'whitespace-nowrap'}>
      {show(row)}
    </Cell>
  ));
}

interface ColumnNameProps<Row> {
  readonly column: Column<Row>;
  readonly defaultSort: string | undefined;
}

/** Sorts by the column, the most first; again, the least first. */
function ColumnName<Row>({ column: { label, sortBy }, defaultSort }: ColumnNameProps<Row>) {
  const { search, show } = useReportSearch();
  if (sortBy === undefined) return label;
  const isSorted = sortBy === (search.sort ?? defaultSort);
  const order = isSorted && search.order !== 'asc' ? 'asc' : undefined;
  return (
    <button
      type="button"
      aria-pressed={isSorted}
      onClick={() => show({ sort: sortBy, order })}
      className="inline-flex h-8 items-center gap-1 hover:text-text aria-pressed:text-text max-md:h-11"
    >
      {label}
      {isSorted && <Icon icon={search.order === 'asc' ? ArrowUp : ArrowDown} size={12} />}
    </button>
  );
}

interface PagesProps {
  readonly pagination: PagePagination | CursorPagination;
  /** What the rows are, in the plural. */
  readonly name: string;
}

export function Pages({ pagination, name }: PagesProps) {
  const { show } = useReportSearch();
  if (!('last_page' in pagination) || pagination.last_page === 1) return null;
  const { current_page, last_page, total } = pagination;
  return (
    <div className="flex items-center justify-between gap-4 text-sm text-secondary">
      <span className="numeric">
        Page {count(current_page)} of {count(last_page)}, {count(total)} {name}
      </span>
      <div className="flex gap-2">
        <Button disabled={current_page <= 1} onClick={() => show({ page: String(current_page - 1) })}>
          Previous
        </Button>
        <Button disabled={current_page >= last_page} onClick={() => show({ page: String(current_page + 1) })}>
          Next
        </Button>
      </div>
    </div>
  );
}
