import { type ClipboardEvent, type KeyboardEvent, useCallback, useEffect, useRef } from 'react';
import { useSelection } from '../../list/selection.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { TaxClasses } from './tax-classes.tsx';
import {
  addMissing,
  changeRow,
  countMissing,
  fillColumn,
  pasteCells,
  removeRows,
  rowTitle,
  type TextColumn,
  textColumns,
  type VariantRow,
} from './variant-draft.ts';
import type { EditorProps } from './variant-editor-props.ts';
import { cellName, GridRow } from './variant-grid-row.tsx';

const headings = {
  sku: 'SKU',
  price: 'Price',
  compare_at_price: 'Compare-at price',
  stock: 'On hand',
  barcode: 'Barcode',
  weight_grams: 'Weight (g)',
  tax_class: 'Tax class',
  tax_code: 'Tax code (HSN)',
};
const flagHeadings = ['Sell when out of stock', 'Charge tax'];
const columns = [...textColumns, 'continue_selling', 'taxable'];
const tooMany = 'A product has at most 250 variants.';
const noErrors: EditorProps['errors'] = {};

interface VariantGridProps extends EditorProps {
  readonly defaults: { readonly sku: string; readonly price: string };
}

/** Edited like a spreadsheet: arrow keys and Enter move, a copied column is pasted over several rows. */
export function VariantGrid({ draft, update, errors, images, defaults }: VariantGridProps) {
  const { rows } = draft;
  const selection = useSelection('variants');
  const selected = new Set(selection.ids.filter((id) => rows.some(({ key }) => key === id)));
  // The same function for all renderings, so that only changed rows are rendered.
  const latest = useRef(update);
  useEffect(() => {
    latest.current = update;
  });
  const change = useCallback((key: string, changes: Partial<VariantRow>) => {
    latest.current((current) => changeRow(current, key, changes));
  }, []);
  const toggle = useRef(selection.toggle);
  useEffect(() => {
    toggle.current = selection.toggle;
  });
  const select = useCallback((key: string, index: number) => toggle.current(key, index), []);
  const paste = (event: ClipboardEvent) => {
    const cell = readCell(event.target);
    const text = event.clipboardData.getData('text/plain');
    if (!cell || !textColumns.includes(cell.column as TextColumn) || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const { key } = rows[cell.index] as VariantRow;
    update((current) => pasteCells(current, key, cell.column as TextColumn, text));
  };
  const missing = countMissing(draft);
  const hasErrors = Object.keys(errors).some((name) => name.startsWith('variants.'));
  return (
    <div className="grid min-w-0 gap-2">
      <BulkBar
        headings={headings}
        total={rows.length}
        selected={selected.size}
        onFill={(column, text) => update((current) => fillColumn(current, selected, column, text))}
        onRemove={
          selected.size < rows.length
            ? () => {
                selection.clear();
                update((current) => removeRows(current, selected));
              }
            : undefined
        }
        onClear={selection.clear}
      >
        {missing > 0 && (
          <Button variant="quiet" onClick={() => update((current) => addMissing(current) ?? tooMany)}>
            {missing === 1 ? 'Add the missing combination' : `Add ${missing} missing combinations`}
          </Button>
        )}
      </BulkBar>
      <section
        aria-label="Variants"
        className="max-w-full overflow-x-auto rounded-panel border border-line bg-surface"
        onKeyDown={moveBetweenCells}
        onPaste={paste}
      >
        <table className="w-full border-separate border-spacing-0 text-sm">
          <caption className="sr-only">Variants</caption>
          <thead>
            <tr className="[&>th]:border-b [&>th]:px-2 [&>th]:py-1 [&>th]:text-left [&>th]:text-xs [&>th]:font-medium [&>th]:text-secondary">
              <th scope="col" className="left-0 z-[1] min-w-40 max-xl:sticky bg-surface max-md:min-w-32">
                <Checkbox
                  label={<span className="text-xs">Variant</span>}
                  aria-label="Select all variants"
                  checked={selected.size > 0 && selected.size === rows.length}
                  onChange={() => selection.toggleAll(rows.map(({ key }) => key))}
                />
              </th>
              <th scope="col">Image</th>
              {textColumns.map((column) => (
                <th key={column} scope="col" className={`whitespace-nowrap ${isText(column) ? '' : 'text-right!'}`}>
                  {headings[column]}
                </th>
              ))}
              {flagHeadings.map((heading) => (
                <th key={heading} scope="col" className="min-w-20 leading-4">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <GridRow
                key={row.key}
                row={row}
                index={index}
                title={rowTitle(draft, row) || 'All'}
                images={images}
                errors={hasErrors ? errors : noErrors}
                price={defaults.price}
                sku={index === 0 || defaults.sku === '' ? defaults.sku : `${defaults.sku}-${index + 1}`}
                isSelected={selected.has(row.key)}
                onSelect={select}
                onChange={change}
              />
            ))}
          </tbody>
        </table>
        <TaxClasses />
      </section>
    </div>
  );
}

function isText(column: TextColumn): boolean {
  return ['sku', 'barcode', 'tax_class', 'tax_code'].includes(column);
}

/** The row and the column of a control of the grid. */
function readCell(target: EventTarget): { readonly index: number; readonly column: string } | undefined {
  const [, index, column] = /^variants\.(\d+)\.(\w+)$/.exec((target as HTMLInputElement).name ?? '') ?? [];
  return index === undefined || column === undefined ? undefined : { index: Number(index), column };
}

function moveBetweenCells(event: KeyboardEvent): void {
  const cell = readCell(event.target);
  const input = event.target as HTMLInputElement;
  if (!cell || event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
  const [down, right] = step(event, input);
  if (down === 0 && right === 0) return;
  const column = columns[columns.indexOf(cell.column) + right];
  const name = column && cellName(cell.index + down, column as TextColumn);
  const next = input.form?.querySelector<HTMLElement>(`[name="${name}"]`);
  // Enter would send the form.
  if (next || event.key === 'Enter') event.preventDefault();
  next?.focus();
}

/** Left and right leave a cell from its ends; a cell that has just been entered is selected as a whole. */
function step({ key, shiftKey }: KeyboardEvent, input: HTMLInputElement): readonly [down: number, right: number] {
  if (key === 'Enter') return [shiftKey ? -1 : 1, 0];
  if (shiftKey) return [0, 0];
  if (key === 'ArrowDown') return [1, 0];
  if (key === 'ArrowUp') return [-1, 0];
  const isText = input.type === 'text';
  if (key === 'ArrowLeft' && (!isText || input.selectionStart === 0)) return [0, -1];
  if (key === 'ArrowRight' && (!isText || input.selectionEnd === input.value.length)) return [0, 1];
  return [0, 0];
}
