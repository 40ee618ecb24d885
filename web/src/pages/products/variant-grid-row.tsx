import type { ProductImage } from '@chowk/client';
import { memo, useState } from 'react';
import { Checkbox } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { taxClassesId } from './tax-classes.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { type FlagColumn, standardTaxClass, type TextColumn, type VariantRow } from './variant-draft.ts';
import type { EditorProps } from './variant-editor-props.ts';

interface GridRowProps {
  readonly row: VariantRow;
  readonly index: number;
  readonly title: string;
  readonly images: readonly ProductImage[];
  readonly errors: EditorProps['errors'];
  /** What the platform sets if these are empty. */
  readonly sku: string;
  readonly price: string;
  readonly isSelected: boolean;
  readonly onSelect: (key: string, index: number) => void;
  readonly onChange: (key: string, changes: Partial<VariantRow>) => void;
}

/** The name under which the platform reports an error of the cell. */
export function cellName(index: number, column: TextColumn | FlagColumn | 'options'): string {
  return `variants.${index}.${column}`;
}

const cells = [
  { column: 'sku', label: 'SKU', width: 'min-w-32', mode: 'text' },
  { column: 'price', label: 'Price', width: 'min-w-24', mode: 'decimal' },
  { column: 'compare_at_price', label: 'Compare-at price', width: 'min-w-24', mode: 'decimal' },
  { column: 'stock', label: 'On hand', width: 'min-w-20', mode: 'numeric' },
  { column: 'barcode', label: 'Barcode', width: 'min-w-32', mode: 'text' },
  { column: 'weight_grams', label: 'Weight', width: 'min-w-20', mode: 'numeric' },
  { column: 'tax_class', label: 'Tax class', width: 'min-w-24', mode: 'text' },
  { column: 'tax_code', label: 'Tax code', width: 'min-w-24', mode: 'text' },
] as const;

const flags = [
  { column: 'continue_selling', label: 'Sell when out of stock' },
  { column: 'taxable', label: 'Charge tax' },
] as const;

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, title, images, errors, isSelected, onSelect, onChange } = props;
  const placeholders: Partial<Record<TextColumn, string>> = {
    sku: props.sku,
    price: props.price,
    stock: '0',
    tax_class: standardTaxClass,
  };
  const sameOptions = errors[cellName(index, 'options')];
  return (
    <tr className="align-top last:[&>*]:border-b-0 [&>*]:border-b [&>*]:border-line">
      <th
        scope="row"
        className="left-0 z-[1] max-w-56 max-xl:sticky border-r border-line bg-surface px-2 py-0.5 text-left font-medium max-md:py-0"
      >
        <Checkbox
          label={<span className="line-clamp-2 break-words">{title}</span>}
          aria-label={`Select ${title}`}
          checked={isSelected}
          onChange={() => onSelect(row.key, index)}
        />
        {sameOptions && <p className="pb-1 text-xs font-normal text-error">{sameOptions}</p>}
      </th>
      <td className="px-2 py-0.5 max-md:py-0">
        <ImageCell
          title={title}
          images={images}
          chosen={row.image_id}
          onChoose={(image_id) => onChange(row.key, { image_id })}
        />
      </td>
      {cells.map(({ column, label, width, mode }) => {
        const name = cellName(index, column);
        const error = errors[name];
        return (
          <td key={column} className={`border-l border-line p-0 ${width}`}>
            {/* Browsers take long to paint thousands of fields, so those that cannot be seen are skipped. */}
            <div className="h-9 [content-visibility:auto] max-md:h-11">
              <input
                type="text"
                name={name}
                aria-label={`${label} of ${title}`}
                aria-invalid={error === undefined ? undefined : true}
                aria-describedby={error === undefined ? undefined : `${name}-error`}
                inputMode={mode}
                list={column === 'tax_class' ? taxClassesId : undefined}
                autoComplete="off"
                value={row[column]}
                placeholder={placeholders[column]}
                onFocus={({ target }) => target.select()}
                onChange={({ target }) => onChange(row.key, { [column]: target.value })}
                className={`h-9 w-full bg-transparent px-2 outline-none placeholder:text-faint hover:bg-sunken focus:bg-accent-tint focus:inset-ring-2 focus:inset-ring-accent aria-invalid:inset-ring-1 aria-invalid:inset-ring-error max-md:h-11 ${mode === 'text' ? '' : 'numeric text-right'}`}
              />
            </div>
            {error !== undefined && (
              <p id={`${name}-error`} className="px-2 pt-0.5 pb-1 text-xs text-error">
                {error}
              </p>
            )}
          </td>
        );
      })}
      {flags.map(({ column, label }) => (
        <td key={column} className="border-l border-line px-2 py-0.5 text-center max-md:py-0">
          <Checkbox
            label=""
            name={cellName(index, column)}
            aria-label={`${label}: ${title}`}
            checked={row[column]}
            onChange={({ target }) => onChange(row.key, { [column]: target.checked })}
          />
        </td>
      ))}
    </tr>
  );
});

interface ImageCellProps {
  readonly title: string;
  readonly images: readonly ProductImage[];
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

function ImageCell({ title, images, chosen, onChoose }: ImageCellProps) {
  const [isOpen, setOpen] = useState(false);
  const trigger = (
    <button
      type="button"
      aria-label={`Image of ${title}`}
      className="grid size-8 place-items-center rounded-control max-md:size-11"
    >
      <Thumbnail image={images.find(({ id }) => id === chosen)} className="size-7" />
    </button>
  );
  const choose = (id: string | null) => {
    onChoose(id);
    setOpen(false);
  };
  return (
    <Popover trigger={trigger} label={`Image of ${title}`} isOpen={isOpen} onOpenChange={setOpen}>
      {images.length === 0 ? (
        <p className="text-sm text-secondary">Add images to the product first, then choose one here.</p>
      ) : (
        <ul className="grid grid-cols-4 gap-2">
          {images.map(({ id, alt }, index) => (
            <li key={id}>
              <button
                type="button"
                aria-label={`Image ${index + 1}${alt && `: ${alt}`}`}
                aria-pressed={id === chosen}
                onClick={() => choose(id)}
                className="w-full rounded-control aria-pressed:outline-2 aria-pressed:outline-accent"
              >
                <Thumbnail image={images[index]} className="aspect-square w-full" />
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              aria-pressed={chosen === null}
              onClick={() => choose(null)}
              className="grid aspect-square w-full place-items-center rounded-control border border-dashed border-edge/70 text-xs text-secondary aria-pressed:outline-2 aria-pressed:outline-accent"
            >
              None
            </button>
          </li>
        </ul>
      )}
    </Popover>
  );
}
