import { X } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useSearchResults } from '../../api/search-results.ts';
import { count } from '../../format/numbers.ts';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { useLevels } from './stock-levels.ts';
import { productRows, quantityProblem, type TransferRow, withRows } from './transfer-draft.ts';

interface TransferRowsProps {
  readonly rows: readonly TransferRow[];
  /** The location that the units leave. */
  readonly from: string;
  /** The variants that cannot be removed: those of the product that the page was opened from. */
  readonly kept: readonly string[];
  readonly onChange: (rows: readonly TransferRow[]) => void;
}

export function TransferRows({ rows, from, kept, onChange }: TransferRowsProps) {
  return (
    <div className="grid min-w-0 gap-3">
      <VariantSearch onAdd={(row) => onChange(withRows(rows, [row]))} />
      {rows.length > 0 && (
        <ul className="grid border-t border-line">
          {rows.map((row) => (
            <Row
              key={row.variantId}
              row={row}
              from={from}
              onChange={(quantity) => onChange(rows.map((one) => (one === row ? { ...one, quantity } : one)))}
              onRemove={kept.includes(row.variantId) ? undefined : () => onChange(rows.filter((one) => one !== row))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function VariantSearch({ onAdd }: { readonly onAdd: (row: TransferRow) => void }) {
  const [text, setText] = useState('');
  const { data, ...state } = useSearchResults(keys.products.search, text.trim(), (client, q) =>
    client.products.search({ q, limit: 8 }),
  );
  const found = (data?.products ?? []).flatMap(productRows);
  return (
    <SearchBox
      label="Add a product"
      placeholder="Add a product by title or SKU"
      name="items"
      text={text}
      onText={setText}
      options={found.map((row) => ({
        key: row.variantId,
        label: row.name,
        detail: row.sku,
        choose: () => onAdd(row),
      }))}
      empty="No product matches."
      {...state}
    />
  );
}

interface RowProps {
  readonly row: TransferRow;
  readonly from: string;
  readonly onChange: (quantity: string) => void;
  readonly onRemove: (() => void) | undefined;
}

function Row({ row, from, onChange, onRemove }: RowProps) {
  const { variantId, name, sku, quantity } = row;
  const stock = useLevels(variantId).find(({ location_id }) => location_id === from)?.stock;
  const problem = quantityProblem(row, stock);
  const problemId = `${variantId}-problem`;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_6rem_2.25rem] items-center gap-x-3 border-b border-line py-2 max-md:grid-cols-[minmax(0,1fr)_5rem_2.75rem]">
      <div className="min-w-0">
        <p className="font-medium break-words">{name}</p>
        <p className="text-xs break-words text-secondary">
          {sku}
          {stock !== undefined && ` · ${count(stock)} there`}
        </p>
      </div>
      <Input
        aria-label={`Units of ${name}`}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : problemId}
        inputMode="numeric"
        autoComplete="off"
        placeholder="0"
        value={quantity}
        onChange={({ target }) => onChange(target.value)}
        className="numeric text-right"
      />
      {onRemove && (
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <Icon icon={X} />
        </IconButton>
      )}
      {problem !== undefined && (
        <p id={problemId} className="col-span-full text-right text-xs text-error">
          {problem}
        </p>
      )}
    </li>
  );
}
