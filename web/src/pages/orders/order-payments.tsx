import type { OrderDetails, OrderPayment, RecordedRefund } from '@chowk/client';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { isPositive } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { listActions, type OrderAction } from './order-actions.ts';
import { unitsText } from './order-units.ts';
import { PaymentLinks } from './payment-links.tsx';
import { describeMethod } from './payment-method.ts';
import { paymentLeft, RefundForm } from './refund-form.tsx';

interface OrderPaymentsProps {
  readonly order: OrderDetails;
  readonly onAction: (action: OrderAction) => void;
}

/** What was paid and refunded, and the links by which the customer can pay. */
export function OrderPayments({ order, onAction }: OrderPaymentsProps) {
  const { payments, refunds, order_number, currency, due_total } = order;
  const [refunding, setRefunding] = useState<string>();
  const takesPayments = listActions(order, useCan()).includes('record_payment');
  const record = takesPayments && (
    <Button variant="quiet" className="-mr-3.5 text-sm" onClick={() => onAction('record_payment')}>
      Record payment
    </Button>
  );
  return (
    <Section title="Payments" actions={record}>
      {payments.length + refunds.length === 0 && (
        <p className="text-secondary">
          {order.payment_method === 'cash_on_delivery'
            ? `${money(due_total, currency)} is paid in cash on delivery.`
            : isPositive(order.paid_total)
              ? `${money(order.paid_total, currency)} is paid.`
              : 'Nothing is paid yet.'}
        </p>
      )}
      {payments.length + refunds.length > 0 && (
        <ul className="grid">
          {payments.map((payment) => (
            <PaymentRow key={payment.id} order={order} payment={payment} onRefund={() => setRefunding(payment.id)} />
          ))}
          {refunds.map((refund) => (
            <RefundRow key={refund.id} order={order} refund={refund} />
          ))}
        </ul>
      )}
      <PaymentLinks order={order} canCreate={takesPayments} />
      <Dialog
        title={`Refund order ${order_number}`}
        isOpen={refunding !== undefined}
        onClose={() => setRefunding(undefined)}
      >
        <RefundForm order={order} paymentId={refunding} onDone={() => setRefunding(undefined)} />
      </Dialog>
    </Section>
  );
}

const row = 'grid grid-cols-[minmax(0,1fr)_auto_auto] items-start gap-x-2 border-b border-line py-2 last:border-0';

interface PaymentRowProps {
  readonly order: OrderDetails;
  readonly payment: OrderPayment;
  readonly onRefund: () => void;
}

function PaymentRow({ order, payment, onRefund }: PaymentRowProps) {
  const { status, amount, excess, reference, paid_at, created_at } = payment;
  const { currency } = order;
  return (
    <li className={row}>
      <div className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{describeMethod(payment)}</span>
          {status === 'pending' && <StatusPill tone="warning">Pending</StatusPill>}
          {status === 'failed' && <StatusPill tone="error">Failed</StatusPill>}
        </span>
        <span className="text-xs break-words text-secondary">
          {reference !== null && `${reference} · `}
          <RelativeTime time={paid_at ?? created_at} />
        </span>
        {status === 'succeeded' && isPositive(excess) && (
          <span className="text-xs text-warning">{money(excess, currency)} more than the order costs</span>
        )}
      </div>
      <span className={`numeric ${status === 'succeeded' ? '' : 'text-faint line-through'}`}>
        {money(amount, currency)}
      </span>
      <PaymentMenu order={order} payment={payment} onRefund={onRefund} />
    </li>
  );
}

function PaymentMenu({ order, payment, onRefund }: PaymentRowProps) {
  const can = useCan();
  const [isFailing, setFailing] = useState(false);
  const amount = money(payment.amount, order.currency);
  const change = useAction(
    (client, status: 'succeeded' | 'failed') =>
      client.orders.updatePayment({ id: order.id, payment: payment.id, status }),
    {
      affects: affectedByOrder(order),
      done: (_, status) => `Payment of ${amount} ${status === 'failed' ? 'failed' : 'received'}.`,
    },
  );
  const isOwn = payment.provider === null && can('orders.edit');
  const canSucceed = isOwn && payment.status === 'pending';
  const canFail = isOwn && payment.status !== 'failed' && !isPositive(payment.refunded_total);
  const canRefund = can('orders.refund') && paymentLeft(payment) > 0n;
  if (!canSucceed && !canFail && !canRefund) return <MenuSpace />;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for ${describeMethod(payment)}`} className="-my-1.5 -mr-2">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        {canSucceed && <MenuItem onSelect={() => change.mutate('succeeded')}>Mark as received</MenuItem>}
        {canRefund && <MenuItem onSelect={() => setTimeout(onRefund)}>Refund this payment</MenuItem>}
        {canFail && <MenuItem onSelect={() => setTimeout(() => setFailing(true))}>Mark payment as failed</MenuItem>}
      </Menu>
      <ConfirmDialog
        title={`Payment of ${amount}`}
        isOpen={isFailing}
        onClose={() => setFailing(false)}
        action="Mark as failed"
        isBusy={change.isPending}
        onConfirm={() => change.mutate('failed', { onSettled: () => setFailing(false) })}
      >
        The payment no longer counts, for example because a cheque has bounced. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

/** Keeps the amounts below each other. */
function MenuSpace() {
  return <span className="w-7 max-md:w-9" />;
}

function RefundRow({ order, refund }: { readonly order: OrderDetails; readonly refund: RecordedRefund }) {
  const { amount, status, reason, items, restocked, created_at } = refund;
  return (
    <li className={row}>
      <div className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">Refund</span>
          {status === 'pending' && <StatusPill tone="warning">Pending</StatusPill>}
          {status === 'failed' && <StatusPill tone="error">Failed</StatusPill>}
        </span>
        {items.length > 0 && (
          <span className="text-xs break-words text-secondary">
            {unitsText(order.items, items)}
            {restocked && ', back in stock'}
          </span>
        )}
        <span className="text-xs break-words text-secondary">
          {reason !== null && `${reason} · `}
          <RelativeTime time={created_at} />
        </span>
      </div>
      <span className={`numeric ${status === 'failed' ? 'text-faint line-through' : ''}`}>
        {money(`-${amount}`, order.currency)}
      </span>
      <MenuSpace />
    </li>
  );
}
