import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { count, money } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { ItemsEditor } from './items-editor.tsx';
import { OrderSums } from './order-sums.tsx';

const editable: readonly OrderDetails['status'][] = ['pending', 'confirmed', 'processing'];

/** What was bought, what it cost, and what was paid. Until it is shipped, the items are edited in their place. */
export function OrderItems({ order }: { readonly order: OrderDetails }) {
  const { items, currency, status } = order;
  const [isEditing, setEditing] = useState(false);
  const button = useReturnFocus(isEditing);
  const can = useCan();
  if (isEditing) return <ItemsEditor order={order} onDone={() => setEditing(false)} />;
  const edit = can('orders.edit') && editable.includes(status) && (
    <Button ref={button} variant="quiet" className="-mr-3.5 text-sm" onClick={() => setEditing(true)}>
      Edit items
    </Button>
  );
  return (
    <Section title="Items" actions={edit}>
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
          {items.map(({ id, name, sku, quantity, price, subtotal, discount }) => (
            <tr key={id}>
              <Cell className="w-full py-2 break-words">
                {name}
                {sku && <div className="text-xs text-faint">{sku}</div>}
                {discount && <div className="text-xs text-secondary">{discountText(discount, currency)}</div>}
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

type Discount = NonNullable<OrderDetails['items'][number]['discount']>;

/** `10 % off`, or `Regular customer: ₹50.00 off`. */
function discountText({ title, kind, value }: Discount, currency: string): string {
  const off = kind === 'percent' ? `${Number(value)} % off` : `${money(String(value), currency)} off`;
  return title === 'Discount' ? off : `${title}: ${off}`;
}
