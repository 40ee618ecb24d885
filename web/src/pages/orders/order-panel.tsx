import type { OrderDetails } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { customerName } from '../../people/customer-name.ts';
import { exactTime } from '../../time/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { PhoneNumber } from '../../ui/phone-number.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { OrderAddress } from './order-address.tsx';
import { OrderHistory } from './order-history.tsx';
import { OrderItems } from './order-items.tsx';
import { OrderNote } from './order-note.tsx';
import { OrderStatus } from './order-status.tsx';
import { StatusButtons } from './status-buttons.tsx';

export function OrderPanel() {
  const { id } = useParams({ from: '/shell/orders/$id' });
  const search = useSearch({ from: '/shell/orders' });
  const navigate = useNavigate();
  const can = useCan();
  const [deleting, setDeleting] = useState<string>();
  const { data, error } = useApi(keys.orders.detail(id), (client) => client.orders.get({ id }));
  const order = data?.order;
  const close = () => navigate({ to: '/orders', search });
  return (
    <DetailPanel
      key={id}
      title={order && `Order ${order.order_number}`}
      error={order ? null : error}
      actions={
        order &&
        can('orders.delete') && (
          <Menu
            trigger={
              <IconButton label="More actions">
                <Icon icon={Ellipsis} />
              </IconButton>
            }
          >
            <MenuItem icon={Trash2} onSelect={() => setTimeout(() => setDeleting(id))}>
              Delete order
            </MenuItem>
          </Menu>
        )
      }
      onClose={close}
    >
      {order && (
        <>
          <Overview order={order} />
          <StatusButtons order={order} />
          <OrderItems order={order} />
          <Customer order={order} />
          <OrderAddress order={order} />
          <OrderNote order={order} />
          <OrderHistory order={order} />
          <DeleteDialog
            order={order}
            isOpen={deleting === id}
            onClose={() => setDeleting(undefined)}
            onDeleted={close}
          />
        </>
      )}
    </DetailPanel>
  );
}

function Overview({ order: { status, total, currency, placed_at } }: { readonly order: OrderDetails }) {
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <OrderStatus status={status} />
      <span className="numeric font-medium">{money(total, currency)}</span>
      <time dateTime={placed_at} className="numeric text-secondary">
        Placed {exactTime(placed_at)}
      </time>
    </div>
  );
}

function Customer({ order: { customer, customer_id } }: { readonly order: OrderDetails }) {
  const can = useCan();
  const name = customerName(customer);
  const others = (
    <Link to="/orders" search={{ customer_id }} className="text-sm text-accent underline-offset-4 hover:underline">
      All orders of this customer
    </Link>
  );
  return (
    <Section title="Customer" actions={others}>
      <div className="grid gap-0.5">
        {customer && can('customers.view') ? (
          <Link
            to="/customers/$id"
            params={{ id: customer.id }}
            className="font-medium break-words underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className="font-medium break-words">{name}</span>
        )}
        {customer?.phone && <PhoneNumber number={customer.phone} className="text-secondary" />}
        {customer?.email && <span className="break-all text-secondary">{customer.email}</span>}
      </div>
    </Section>
  );
}
