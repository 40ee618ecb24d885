import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type MouseEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useKeys } from '../keyboard/keys.ts';
import { useIsNarrow } from '../screen/narrow.ts';
import { useIsPrinting } from '../screen/use-printing.ts';
import { useWidth } from '../screen/use-width.ts';
import { Icon } from '../ui/icon.tsx';
import { ReadError } from '../ui/read-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useScrollPosition } from './scroll-position.ts';
import type { Selection } from './selection.ts';
import type { List } from './use-list.ts';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  /** The first column is the name of the record, as a link to it: `j` and `k` move between these links. */
  readonly cell: (row: Row) => ReactNode;
  /** For instance `9rem`, or `25%` while all columns have room. Without it, the column shares what is left. */
  readonly width?: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** The value of `sort_by`. */
  readonly sortBy?: string;
  /** Also on a narrow screen, which has room for two or three. */
  readonly isOnPhone?: boolean;
  /** Not shown until the user chooses it. */
  readonly isExtra?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  /** For screen readers: what a checkbox selects. */
  readonly rowName: (row: Row) => string;
  /** Without it, a click on a row does nothing. */
  readonly onOpen?: (row: Row) => void;
  /** The record that is shown beside the table. */
  readonly openId?: string | undefined;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly selection?: Selection;
  /** Instead of the rows, if there are none. */
  readonly empty: ReactNode;
}

/** Shows as many rows as the screen has room for, of a list of any length. */
export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>) {
  const { caption, list, columns: all, rowName, onOpen, openId, sort, onSort, selection, empty } = props;
  const isNarrow = useIsNarrow();
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const available = useWidth(scroller);
  const columns = useStableArray(isNarrow ? all.filter(({ isOnPhone }) => isOnPhone) : fit(all, available));
  const rowHeight = isNarrow ? 52 : 36;
  const rows = useVirtualizer({
    count: list.total ?? 0,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  // After the virtualizer, which scrolls to the top.
  useScrollPosition(scroller, list.identity);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height of rows changes
  useEffect(() => rows.measure(), [rowHeight]);
  const items = rows.getVirtualItems();
  // On paper, all rows that have been read.
  const isPrinting = useIsPrinting();
  useEffect(() => {
    // Paper has no end: nothing more is read for it.
    if (!isPrinting) list.show(first, last);
  });
  const shownRows = isPrinting ? readRows(list) : items.map(({ index }) => index);
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const openRow = () => items.find(({ index }) => openId !== undefined && list.rowAt(index)?.id === openId)?.index;
  const focusRow = (step: number) => {
    // Hidden while a record has the whole page.
    if (!scroller?.offsetHeight) return;
    const current = focusedRow() ?? openRow();
    const next = current === undefined ? first : current + step;
    if (next < 0 || next >= (list.total ?? 0)) return;
    rows.scrollToIndex(next);
    scroller.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus({ preventScroll: true });
    const row = list.rowAt(next);
    // The record that is open beside the list follows.
    if (openId !== undefined && row) onOpen?.(row);
  };
  const toggleFocused = () => {
    const index = focusedRow();
    const row = index === undefined ? undefined : list.rowAt(index);
    if (row && index !== undefined) selection?.toggle(row.id, index);
  };
  useKeys([
    { key: 'j', label: 'Next row', run: () => focusRow(1) },
    { key: 'k', label: 'Previous row', run: () => focusRow(-1) },
    ...(selection ? [{ key: 'x', label: 'Select the row', run: toggleFocused }] : []),
  ]);
  const idAt = (index: number) => list.rowAt(index)?.id;
  const actions = useStableActions({
    open: onOpen as ((row: unknown) => void) | undefined,
    toggle: (id, index, isRange) => selection?.toggle(id, index, isRange ? idAt : undefined),
  });
  const width = columns.length + (selection ? 1 : 0);
  if (list.error && list.total === undefined) return <ReadError error={list.error} />;
  if (list.total === 0) return empty;
  return (
    <section
      ref={setScroller}
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain print:overflow-visible"
    >
      <table
        aria-rowcount={list.total === undefined ? -1 : list.total + 1}
        className="w-full table-fixed border-separate border-spacing-0 text-sm"
      >
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 z-[1] bg-canvas">
          <tr>
            {selection && (
              <th scope="col" className="w-9 border-b border-line max-md:w-11">
                <SelectAll ids={list.loaded.map(({ id }) => id)} selection={selection} />
              </th>
            )}
            {columns.map((column) => (
              <SortableHeader
                key={column.key}
                column={column}
                sort={sort}
                onSort={onSort}
                isShare={columns.length === all.length}
              />
            ))}
          </tr>
        </thead>
        <tbody className={list.isOutdated ? 'opacity-60 transition-opacity' : ''}>
          {list.total === undefined && <LoadingRows columns={columns} hasSelection={selection !== undefined} />}
          <Gap height={isPrinting ? 0 : (items[0]?.start ?? 0)} columns={width} />
          {shownRows.map((index) => {
            const row = list.rowAt(index);
            if (row === undefined) {
              return <LoadingRow key={index} index={index} columns={columns} hasSelection={selection !== undefined} />;
            }
            const { id } = row;
            return (
              <TableRow
                key={id}
                row={row}
                id={id}
                index={index}
                name={rowName(row)}
                columns={columns as readonly Column<unknown>[]}
                isOpen={id === openId}
                isSelected={selection?.has(id)}
                actions={actions}
              />
            );
          })}
          <Gap height={isPrinting ? 0 : rows.getTotalSize() - (items.at(-1)?.end ?? 0)} columns={width} />
        </tbody>
      </table>
      {list.error && (
        <div className="sticky bottom-2 left-0 pt-2">
          <ReadError error={list.error} />
        </div>
      )}
    </section>
  );
}

/** The positions of the rows that have been read. */
function readRows<Row>({ total = 0, rowAt }: List<Row>): number[] {
  return Array.from({ length: total }, (_, index) => index).filter((index) => rowAt(index) !== undefined);
}

/** The row that has the focus. */
function focusedRow(): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}

const flexibleWidth = 144;
const selectWidth = 36;

/** Leaves out the last columns if there is no room, for instance beside an open record. */
function fit<Row>(columns: readonly Column<Row>[], available: number | undefined): readonly Column<Row>[] {
  if (available === undefined) return columns;
  const needed = columns.reduce((sum, { width }) => sum + columnWidth(width), selectWidth);
  const extra = columns.findLastIndex(({ isOnPhone }, index) => index > 0 && !isOnPhone);
  return needed <= available || extra < 0 ? columns : fit(columns.toSpliced(extra, 1), available);
}

function columnWidth(width: string | undefined): number {
  return width?.endsWith('rem') ? Number.parseFloat(width) * 16 : flexibleWidth;
}

/** The same array while its items are the same. */
function useStableArray<Item>(items: readonly Item[]): readonly Item[] {
  const [stable, setStable] = useState(items);
  const isSame = items.length === stable.length && items.every((item, index) => item === stable[index]);
  if (!isSame) setStable(items);
  return isSame ? stable : items;
}

interface RowActions {
  /** `undefined` if rows cannot be opened. */
  readonly open: ((row: unknown) => void) | undefined;
  readonly toggle: (id: string, index: number, isRange: boolean) => void;
}

/** The same object in every render, so that unchanged rows are not rendered while the user scrolls. */
function useStableActions(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  const [stable] = useState<RowActions>(() => ({
    open: actions.open && ((row) => latest.current.open?.(row)),
    toggle: (id, index, isRange) => latest.current.toggle(id, index, isRange),
  }));
  return stable;
}

interface TableRowProps {
  readonly row: unknown;
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly columns: readonly Column<unknown>[];
  readonly isOpen: boolean;
  /** `undefined` if rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly actions: RowActions;
}

const checkboxStyle =
  'grid size-4 appearance-none place-items-center rounded-[4px] border border-edge bg-surface before:size-2.5 before:scale-0 ' +
  'before:bg-on-accent before:[clip-path:polygon(14%_44%,0_65%,50%_100%,100%_16%,80%_0,43%_62%)] checked:border-accent ' +
  'checked:bg-accent checked:before:scale-100';

const TableRow = memo(function TableRow({ row, id, index, name, columns, isOpen, isSelected, actions }: TableRowProps) {
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      aria-current={isOpen || undefined}
      onClick={(event) => isPlainClick(event) && actions.open?.(row)}
      className={`${actions.open ? 'cursor-pointer' : ''} group h-9 max-md:h-13 hover:bg-sunken has-[a:focus-visible]:bg-accent-tint/60 aria-current:bg-accent-tint! aria-current:[--faint:var(--secondary)]`}
    >
      {isSelected !== undefined && (
        <td className="border-b border-line px-0">
          <label className="grid h-9 place-items-center max-md:h-13">
            <span className="sr-only">Select {name}</span>
            <input
              type="checkbox"
              checked={isSelected}
              onChange={({ nativeEvent }) =>
                actions.toggle(id, index, nativeEvent instanceof globalThis.MouseEvent && nativeEvent.shiftKey)
              }
              className={checkboxStyle}
            />
          </label>
        </td>
      )}
      {columns.map(({ key, cell, isNumber }) => (
        <td
          key={key}
          className={`truncate border-b border-line px-3 first:pl-1 ${isNumber ? 'numeric text-right' : ''}`}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
});

interface SelectAllProps {
  /** The ids of the rows that have been read. */
  readonly ids: readonly string[];
  readonly selection: Selection;
}

function SelectAll({ ids, selection }: SelectAllProps) {
  const isAll = ids.length > 0 && ids.every(selection.has);
  return (
    <label className="grid h-9 place-items-center">
      <span className="sr-only">Select all {ids.length} shown</span>
      <input
        type="checkbox"
        ref={(input) => {
          if (input) input.indeterminate = !isAll && selection.ids.length > 0;
        }}
        checked={isAll}
        disabled={ids.length === 0}
        onChange={() => selection.toggleAll(ids)}
        className={`${checkboxStyle} indeterminate:border-accent indeterminate:bg-accent indeterminate:before:scale-100 indeterminate:before:[clip-path:inset(40%_0)]`}
      />
    </label>
  );
}

interface SortableHeaderProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** Whether a width in percent counts. With fewer columns, the others share what is left. */
  readonly isShare: boolean;
}

function SortableHeader<Row>({ column, sort, onSort, isShare }: SortableHeaderProps<Row>) {
  const { label, width, isNumber, sortBy } = column;
  const isSorted = sortBy !== undefined && sort?.by === sortBy;
  const Arrow = sort?.order === 'asc' ? ArrowUp : ArrowDown;
  const style = `h-9 truncate border-b border-line px-3 text-xs font-medium text-secondary first:pl-1 ${isNumber ? 'text-right' : 'text-left'}`;
  const next = isSorted && sort.order === 'desc' ? 'asc' : 'desc';
  return (
    <th
      scope="col"
      style={{ width: isShare || !width?.endsWith('%') ? width : undefined }}
      aria-sort={isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : undefined}
      className={style}
    >
      {sortBy !== undefined && onSort ? (
        <button
          type="button"
          onClick={() => onSort({ by: sortBy, order: next })}
          className={`-mx-1 inline-flex h-8 items-center gap-1 rounded-control px-1 hover:text-text ${isSorted ? 'text-text' : ''}`}
        >
          {label}
          {isSorted && <Icon icon={Arrow} size={12} strokeWidth={2} />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** In place of the rows that are not shown. */
function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

interface LoadingProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly hasSelection: boolean;
}

function LoadingRows<Row>(props: LoadingProps<Row>) {
  return Array.from({ length: 12 }, (_, index) => index).map((index) => (
    <LoadingRow key={index} index={index} {...props} />
  ));
}

/** Texts of different lengths, where the cells will be. */
const textWidths = ['w-3/5', 'w-2/5', 'w-1/2', 'w-3/4'];

function LoadingRow<Row>({ index, columns, hasSelection }: LoadingProps<Row> & { readonly index: number }) {
  return (
    <tr aria-hidden className="h-9 max-md:h-13">
      {hasSelection && (
        <td className="border-b border-line">
          <Skeleton className="mx-auto size-4" />
        </td>
      )}
      {columns.map(({ key, isNumber }, column) => (
        <td key={key} className="border-b border-line px-3 first:pl-1">
          <Skeleton
            className={`h-3.5 ${textWidths[(index + column) % textWidths.length]} ${isNumber ? 'ml-auto' : ''}`}
          />
        </td>
      ))}
    </tr>
  );
}

/** Neither on a control in the row, nor in a popover of it, nor at the end of selecting text. */
function isPlainClick({ target, currentTarget }: MouseEvent): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('a, button, input, label, select') === null && String(getSelection()) === '';
}
