import type { OrderDetails } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { EntrySections } from '../../modules/entry-content.tsx';
import { customerName } from '../../people/customer-name.ts';
import { CustomerPhone } from '../../people/customer-phone.tsx';
import { exactTime } from '../../time/times.ts';
import { Section } from '../../ui/page.tsx';
import { WriteMenu } from '../conversations/write-menu.tsx';
import { NextStep } from './next-step.tsx';
import { type OrderAction, orderActions } from './order-actions.ts';
import { OrderAddress } from './order-address.tsx';
import { PaymentBadge, ShipmentBadge } from './order-badges.tsx';
import { OrderDialogs } from './order-dialogs.tsx';
import { OrderDocuments } from './order-documents.tsx';
import { OrderHistory } from './order-history.tsx';
import { OrderItems } from './order-items.tsx';
import { OrderMenu } from './order-menu.tsx';
import { OrderNote } from './order-note.tsx';
import { OrderPayments } from './order-payments.tsx';
import { OrderShipments } from './order-shipments.tsx';
import { OrderStatus } from './order-status.tsx';
import { useStatusChange } from './use-status-change.ts';

export function OrderPanel() {
  const { id } = useParams({ from: '/shell/orders/$id' });
  const search = useSearch({ from: '/shell/orders' });
  const navigate = useNavigate();
  const [asking, ask] = useState<{ readonly id: string; readonly action: OrderAction }>();
  const change = useStatusChange();
  const { data, error } = useApi(keys.orders.detail(id), (client) => client.orders.get({ id }));
  const order = data?.order;
  const close = () => navigate({ to: '/orders', search });
  const act = async (action: OrderAction) => {
    const { status } = orderActions[action];
    if (order && status) await change(order, status);
    else ask({ id, action });
  };
  return (
    <DetailPanel
      key={id}
      title={order && `Order ${order.order_number}`}
      error={order ? null : error}
      actions={order && <OrderMenu order={order} onAction={act} />}
      onClose={close}
    >
      {order && (
        <>
          <Overview order={order} />
          <NextStep order={order} onAction={act} />
          <OrderItems order={order} />
          <OrderPayments order={order} onAction={act} />
          <OrderShipments order={order} onAction={act} />
          <OrderDocuments order={order} />
          <Customer order={order} />
          <OrderAddress order={order} kind="shipping_address" />
          <OrderAddress order={order} kind="billing_address" />
          <OrderNote order={order} />
          <EntrySections place="order" id={order.id} />
          <OrderHistory order={order} />
          <OrderDialogs
            order={order}
            action={asking?.id === id ? asking.action : undefined}
            onClose={() => ask(undefined)}
            onDeleted={close}
          />
        </>
      )}
    </DetailPanel>
  );
}

function Overview({ order }: { readonly order: OrderDetails }) {
  const { status, total, currency, placed_at } = order;
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="flex flex-wrap gap-1.5">
        <OrderStatus status={status} />
        <PaymentBadge order={order} />
        {status !== 'shipped' && status !== 'delivered' && <ShipmentBadge order={order} />}
      </span>
      <span className="numeric font-medium">{money(total, currency)}</span>
      <time dateTime={placed_at} className="numeric text-secondary">
        Placed {exactTime(placed_at)}
      </time>
    </div>
  );
}

function Customer({ order: { customer, customer_id, order_number } }: { readonly order: OrderDetails }) {
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
        {customer?.phone && (
          <CustomerPhone key={customer.id} customerId={customer.id} phone={customer.phone} className="text-secondary" />
        )}
        {customer?.email && <span className="break-all text-secondary">{customer.email}</span>}
      </div>
      {customer && (customer.email || customer.phone) && (
        <div>
          <WriteMenu customer={customer} subject={`Order ${order_number}`} />
        </div>
      )}
    </Section>
  );
}
