import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { count } from '../../format/numbers.ts';
import { Input } from '../../ui/field.tsx';
import type { Units } from './order-units.ts';

interface ChosenUnits {
  readonly text: (unit: Units) => string;
  readonly change: (itemId: string, text: string) => void;
  readonly problem: (unit: Units) => string | undefined;
  /** Those of which at least one is chosen. */
  readonly units: readonly Units[];
  readonly isValid: boolean;
}

/** How many units of each item the user has chosen, of those that are left. */
export function useChosenUnits(left: readonly Units[], initial: 'all' | 'none'): ChosenUnits {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const text = ({ item_id, quantity }: Units) => texts[item_id] ?? String(initial === 'all' ? quantity : 0);
  const parse = (unit: Units) => (/^\d{1,7}$/.test(text(unit).trim()) ? Number(text(unit)) : Number.NaN);
  const problem = (unit: Units) =>
    parse(unit) <= unit.quantity ? undefined : `Enter a number from 0 to ${count(unit.quantity)}.`;
  return {
    text,
    change: (itemId, typed) => setTexts((before) => ({ ...before, [itemId]: typed })),
    problem,
    units: left.map((unit) => ({ ...unit, quantity: parse(unit) })).filter(({ quantity }) => quantity > 0),
    isValid: left.every((unit) => problem(unit) === undefined),
  };
}

interface UnitFieldsProps {
  readonly label: string;
  readonly order: Pick<OrderDetails, 'items'>;
  readonly left: readonly Units[];
  readonly chosen: ChosenUnits;
  /** Errors of the platform, by the position among the chosen units: `items.0.quantity`. */
  readonly errors: Readonly<Record<string, string | undefined>>;
}

export function UnitFields({ label, order: { items }, left, chosen, errors }: UnitFieldsProps) {
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {left.map((unit) => {
        const { item_id, quantity } = unit;
        const item = items.find(({ id }) => id === item_id);
        const name = `items.${chosen.units.findIndex((one) => one.item_id === item_id)}.quantity`;
        const error = chosen.problem(unit) ?? errors[name];
        return (
          <div key={item_id} className="grid grid-cols-[minmax(0,1fr)_4rem_auto] items-center gap-x-2">
            <span className="min-w-0 break-words">
              {item?.name}
              {item?.sku && <span className="block text-xs text-faint">{item.sku}</span>}
            </span>
            <Input
              name={name}
              aria-label={`Units of ${item?.name}`}
              inputMode="numeric"
              autoComplete="off"
              className="numeric text-right"
              value={chosen.text(unit)}
              onChange={({ target }) => chosen.change(item_id, target.value)}
              onFocus={({ target }) => target.select()}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${item_id}-error`}
            />
            <span className="numeric text-sm text-secondary">of {count(quantity)}</span>
            {error !== undefined && (
              <span id={`${item_id}-error`} className="col-span-full text-xs text-error">
                {error}
              </span>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
