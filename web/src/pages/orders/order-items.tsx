import type { OrderDetails } from '@chowk/client';
import { parseCents, remainingAmount, sumAmounts } from '../../format/amount.ts';
import { count, money } from '../../format/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';

/** What was bought, what it cost, and what is left after refunds. */
export function OrderItems({ order }: { readonly order: OrderDetails }) {
  const { items, currency } = order;
  return (
    <Section title="Items">
      <Table caption="Items">
        <thead>
          <tr>
            <HeaderCell>Item</HeaderCell>
            <HeaderCell isNumber>Quantity</HeaderCell>
            <HeaderCell isNumber className="max-sm:hidden">
              Price
            </HeaderCell>
            <HeaderCell isNumber>Total</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, name, sku, quantity, price, total }) => (
            <tr key={id}>
              <Cell className="w-full py-2 break-words">
                {name}
                {sku && <div className="text-xs text-faint">{sku}</div>}
              </Cell>
              <Cell isNumber>{count(quantity)}</Cell>
              <Cell isNumber className="whitespace-nowrap max-sm:hidden">
                {money(price, currency)}
              </Cell>
              <Cell isNumber className="whitespace-nowrap">
                {money(total, currency)}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
      <Sums order={order} />
    </Section>
  );
}

function Sums({ order }: { readonly order: OrderDetails }) {
  const { total, refunded_total, currency } = order;
  const subtotal = sumAmounts(order.items.map((item) => item.total));
  const difference = Number((parseCents(total) ?? 0n) - (parseCents(subtotal) ?? 0n)) / 100;
  const isRefunded = refunded_total !== '0.00';
  return (
    <dl className="numeric grid grid-cols-[1fr_minmax(7rem,auto)] gap-x-2 gap-y-1.5">
      {difference !== 0 && (
        <>
          <Sum label="Subtotal" amount={money(subtotal, currency)} />
          <Sum
            label={difference < 0 ? 'Discount' : 'Additional charges'}
            amount={money(String(difference), currency)}
          />
        </>
      )}
      <Sum label="Total" amount={money(total, currency)} isStrong />
      {isRefunded && (
        <>
          <Sum label="Refunded" amount={money(`-${refunded_total}`, currency)} />
          <Sum label="Not refunded" amount={money(remainingAmount(order), currency)} isStrong />
        </>
      )}
    </dl>
  );
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
      <dt className={`text-right ${style}`}>{label}</dt>
      <dd className={`text-right ${style}`}>{amount}</dd>
    </>
  );
}
