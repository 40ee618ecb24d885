import { type Product, productsLimits } from '@chowk/client';
import { type ReactNode, useState } from 'react';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useStockChange } from './stock-change.ts';

const reasons = ['Stocktaking', 'Delivery', 'Return', 'Damaged', 'Correction'];
const maxStock = 2_147_483_647;

interface StockFormProps {
  readonly product: Product;
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
}

/** Sets or changes the stock where it is shown. Enter saves, Escape closes. */
export function StockForm({ product, trigger, align = 'end' }: StockFormProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover trigger={trigger} align={align} label={`Stock of ${product.title}`} isOpen={isOpen} onOpenChange={setOpen}>
      <StockFields product={product} onDone={() => setOpen(false)} />
    </Popover>
  );
}

function StockFields({ product, onDone }: { readonly product: Product; readonly onDone: () => void }) {
  const [mode, setMode] = useState<'set' | 'change'>('set');
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (mode === 'set' ? String(product.stock) : '');
  const { mutate } = useStockChange();
  const number = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined;
  const change = number === undefined ? undefined : mode === 'set' ? number - product.stock : number;
  const problem = change === undefined && text.trim() !== '' ? 'Enter a whole number.' : stockProblem(product, change);
  return (
    <form
      className="grid grid-cols-1 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (change === undefined || problem !== undefined) return;
        const { reason, reference } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
        onDone();
        if (change !== 0) mutate({ product, change, reason, reference: reference || undefined });
      }}
    >
      <p className="min-w-0 truncate font-medium">{product.title}</p>
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
            ? `${count(product.stock)} on hand${product.reserved > 0 ? `, ${count(product.reserved)} of them reserved` : ''}.`
            : `${count(product.stock)} → ${count(product.stock + change)} (${change > 0 ? '+' : '−'}${count(Math.abs(change))})`
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

function stockProblem({ stock, reserved, available }: Product, change: number | undefined): string | undefined {
  if (change === undefined) return undefined;
  if (stock + change > maxStock) return `The stock can be at most ${count(maxStock)}.`;
  if (-change <= available) return undefined;
  if (reserved === 0) return `Only ${count(stock)} are on hand.`;
  return `${count(reserved)} units are reserved, so at least that many must stay.`;
}
