import type { Order, OrderPreview } from '@chowk/client';
import { fromThousandths, toThousandths } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';

type Price = Pick<
  OrderPreview,
  'subtotal' | 'discounts' | 'shipping' | 'taxes' | 'prices_include_tax' | 'total' | 'currency'
>;
type Paid = Pick<Order, 'adjustment_total' | 'paid_total' | 'refunded_total' | 'due_total'>;

/** What the total consists of. For an order, also the total and what was paid; a draft shows its total elsewhere. */
export function OrderSums({ price, paid }: { readonly price: Price; readonly paid?: Paid }) {
  const { subtotal, discounts, shipping, taxes, prices_include_tax, total, currency } = price;
  const adjustment = paid?.adjustment_total ?? '0.00';
  const hasParts = discounts.length > 0 || shipping !== null || taxes.length > 0 || isSome(adjustment);
  return (
    <dl className="numeric grid grid-cols-[1fr_minmax(6rem,auto)] gap-x-2 gap-y-1.5">
      {hasParts && <Sum label="Subtotal" amount={money(subtotal, currency)} />}
      {sumDiscounts(discounts, currency).map(([label, amount]) => (
        <Sum key={label} label={label} amount={money(`-${amount}`, currency)} />
      ))}
      {shipping && <Sum label={shipping.title} amount={money(shipping.price, currency)} />}
      {taxes.map(({ name, rate, amount }) => (
        <Sum
          key={`${name} ${rate}`}
          label={`${prices_include_tax ? 'Includes ' : ''}${name}${rate === null ? '' : ` ${percent(rate)}`}`}
          amount={money(amount, currency)}
        />
      ))}
      {isSome(adjustment) && <Sum label="Adjustment" amount={money(adjustment, currency)} />}
      {paid && <Sum label="Total" amount={money(total, currency)} isStrong />}
      {paid && <PaidSums paid={paid} currency={currency} />}
    </dl>
  );
}

function PaidSums({ paid, currency }: { readonly paid: Paid; readonly currency: string }) {
  const { paid_total, refunded_total, due_total } = paid;
  return (
    <>
      {isSome(paid_total) && <Sum label="Paid" amount={money(paid_total, currency)} />}
      {isSome(refunded_total) && <Sum label="Refunded" amount={money(`-${refunded_total}`, currency)} />}
      {isSome(paid_total) && isSome(due_total) && <Sum label="Due" amount={money(due_total, currency)} isStrong />}
    </>
  );
}

/** Those of items together, the others by name. */
function sumDiscounts(discounts: Price['discounts'], currency: string): readonly (readonly [string, string])[] {
  const sums = new Map<string, bigint>();
  for (const { source, code, title, amount } of discounts) {
    const label = source === 'line' ? 'Item discounts' : (code ?? title);
    sums.set(label, (sums.get(label) ?? 0n) + (toThousandths(amount) ?? 0n));
  }
  return [...sums].map(([label, sum]) => [label, fromThousandths(sum, currency)]);
}

/** `9 %` for `9.00`. */
function percent(rate: string): string {
  return `${Number(rate)} %`;
}

function isSome(amount: string): boolean {
  return Number(amount) !== 0;
}

interface SumProps {
  readonly label: string;
  readonly amount: string;
  readonly isStrong?: boolean;
}

function Sum({ label, amount, isStrong = false }: SumProps) {
  const style = isStrong ? 'font-semibold' : 'text-secondary';
  return (
    <>
      <dt className={`min-w-0 text-right break-words ${style}`}>{label}</dt>
      <dd className={`text-right ${style}`}>{amount}</dd>
    </>
  );
}
