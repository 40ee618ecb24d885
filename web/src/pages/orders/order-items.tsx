import type { OrderDetails } from '@chowk/client';
import { count, money } from '../../format/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { OrderSums } from './order-sums.tsx';

/** What was bought, what it cost, and what was paid. */
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
          {items.map(({ id, name, sku, quantity, price, subtotal }) => (
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
                {money(subtotal, currency)}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
      <OrderSums price={order} paid={order} />
    </Section>
  );
}
