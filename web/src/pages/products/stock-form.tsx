import { type Product, type ProductVariant, productsLimits } from '@chowk/client';
import { type ReactNode, useState } from 'react';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { stockName, useStockChange } from './stock-change.ts';
import { useLevels } from './stock-levels.ts';

const reasons = ['Stocktaking', 'Delivery', 'Return', 'Damaged', 'Correction'];
const maxStock = 2_147_483_647;

interface StockFormProps {
  readonly product: Product;
  readonly variant: ProductVariant;
  readonly trigger: ReactNode;
}

/** Sets or changes the stock where it is shown. Enter saves, Escape closes. */
export function StockForm({ product, variant, trigger }: StockFormProps) {
  const [isOpen, setOpen] = useState(false);
  const name = stockName(product, variant);
  return (
    <Popover trigger={trigger} align="end" label={`Stock of ${name}`} isOpen={isOpen} onOpenChange={setOpen}>
      <StockFields name={name} variant={variant} onDone={() => setOpen(false)} />
    </Popover>
  );
}

interface StockFieldsProps {
  readonly name: string;
  readonly variant: ProductVariant;
  readonly onDone: () => void;
}

function StockFields({ name, variant, onDone }: StockFieldsProps) {
  const [mode, setMode] = useState<'set' | 'change'>('set');
  const [typed, setTyped] = useState<string>();
  const [location, setLocation] = useState<string>();
  const levels = useLevels(variant.id);
  const level = levels.find(({ location_id }) => location_id === location) ?? levels[0];
  const stocked = level ? { ...variant, stock: level.stock } : variant;
  const text = typed ?? (mode === 'set' ? String(stocked.stock) : '');
  const { mutate } = useStockChange();
  const number = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined;
  const change = number === undefined ? undefined : mode === 'set' ? number - stocked.stock : number;
  const problem = change === undefined && text.trim() !== '' ? 'Enter a whole number.' : stockProblem(stocked, change);
  return (
    <form
      className="grid grid-cols-1 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (change === undefined || problem !== undefined) return;
        const { reason, reference } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
        onDone();
        const place = level && { location_id: level.location_id };
        if (change !== 0) mutate({ variant, name, change, reason, reference: reference || undefined, ...place });
      }}
    >
      <p className="min-w-0 truncate font-medium">{name}</p>
      {level && (
        <Field label="Location">
          {(control) => (
            <Select
              {...control}
              value={level.location_id}
              onChange={({ target }) => {
                setLocation(target.value);
                setTyped(undefined);
              }}
            >
              {levels.map((one) => (
                <option key={one.location_id} value={one.location_id}>
                  {one.name}: {one.stock}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <fieldset className="grid grid-cols-2 rounded-control border border-line p-0.5">
        <legend className="sr-only">How to change the stock</legend>
        {(['set', 'change'] as const).map((one) => (
          <label
            key={one}
            className="grid h-8 place-items-center rounded-control text-sm text-secondary has-checked:bg-accent-tint has-checked:font-medium has-checked:text-accent-strong has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:h-11"
          >
            <input
              type="radio"
              className="sr-only"
              name="mode"
              checked={mode === one}
              onChange={() => {
                setMode(one);
                setTyped(undefined);
              }}
            />
            {one === 'set' ? 'Set to' : 'Change by'}
          </label>
        ))}
      </fieldset>
      <Field
        label={mode === 'set' ? 'Units on hand' : 'Units to add, or to remove with a minus'}
        error={problem}
        help={
          change === undefined || change === 0
            ? `${count(stocked.stock)} on hand${!level && variant.reserved > 0 ? `, ${count(variant.reserved)} of them reserved` : ''}.`
            : `${count(stocked.stock)} → ${count(stocked.stock + change)} (${change > 0 ? '+' : '−'}${count(Math.abs(change))})`
        }
      >
        {(control) => (
          <Input
            {...control}
            inputMode={mode === 'set' ? 'numeric' : 'text'}
            autoComplete="off"
            autoFocus
            value={text}
            placeholder={mode === 'set' ? '0' : '+12'}
            onFocus={({ target }) => target.select()}
            onChange={({ target }) => setTyped(target.value)}
            className="numeric"
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Reason">
          {(control) => (
            <Select {...control} name="reason">
              {reasons.map((reason) => (
                <option key={reason}>{reason}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Reference">
          {(control) => (
            <Input
              {...control}
              name="reference"
              maxLength={productsLimits.changeStock.reference}
              placeholder="Optional"
            />
          )}
        </Field>
      </div>
      <Button type="submit" variant="primary" disabled={change === undefined || problem !== undefined}>
        Save
      </Button>
    </form>
  );
}

function stockProblem({ stock, reserved, available }: ProductVariant, change: number | undefined): string | undefined {
  if (change === undefined) return undefined;
  if (stock + change > maxStock) return `The stock can be at most ${count(maxStock)}.`;
  if (-change <= Math.min(available, stock)) return undefined;
  if (reserved === 0 || -change > stock) return `Only ${count(stock)} are on hand.`;
  return `${count(reserved)} units are reserved, so at least that many must stay.`;
}
