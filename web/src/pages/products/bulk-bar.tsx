import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { count } from '../../format/numbers.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type TextColumn, textColumns } from './variant-draft.ts';

interface BulkBarProps {
  readonly headings: Readonly<Record<TextColumn, string>>;
  readonly total: number;
  readonly selected: number;
  readonly onFill: (column: TextColumn, text: string) => void;
  /** A product has at least one variant. */
  readonly onRemove: (() => void) | undefined;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** Each variant has its own SKU and barcode. */
const columns = textColumns.filter((column) => column !== 'sku' && column !== 'barcode');

/** Sets a column of the selected rows. */
export function BulkBar({ headings, total, selected, onFill, onRemove, onClear, children }: BulkBarProps) {
  const [column, setColumn] = useState<TextColumn>('price');
  const [text, setText] = useState('');
  const fill = () => {
    onFill(column, text.trim());
    setText('');
  };
  if (selected === 0) {
    return (
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2 max-md:min-h-11">
        <span className="text-sm text-secondary">{total === 1 ? '1 variant' : `${count(total)} variants`}</span>
        {children}
      </div>
    );
  }
  return (
    <div role="toolbar" aria-label="Selected variants" className="flex min-h-9 flex-wrap items-center gap-2">
      <span className="numeric mr-1 text-sm font-medium">{count(selected)} selected</span>
      <div className="w-44">
        <Select
          aria-label="Column to set"
          value={column}
          onChange={({ target }) => setColumn(target.value as TextColumn)}
        >
          {columns.map((one) => (
            <option key={one} value={one}>
              {headings[one]}
            </option>
          ))}
        </Select>
      </div>
      <Input
        aria-label={`${headings[column]} of the selected variants`}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          fill();
        }}
        className="numeric w-28!"
      />
      <Button onClick={fill}>Set</Button>
      {onRemove && (
        <Button variant="quiet" onClick={onRemove}>
          Remove
        </Button>
      )}
      <IconButton label="Clear the selection" className="ml-auto" onClick={onClear}>
        <Icon icon={X} />
      </IconButton>
    </div>
  );
}
