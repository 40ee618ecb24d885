import { type Ctx, operation, Type, Uuid } from '@chowk/kit';
import { getRecord } from './orders.ts';
import { ReportedPayment, recordPayment } from './record-payment.ts';
import { Order, OrderContact } from './schemas.ts';
import { SettledRefund, settleRefund } from './settle-refund.ts';

const { id, customer_id, order_number, status, currency, total, due_total } = Order.properties;

/* For modules that take payments. */
export const paymentOperations = {
  'orders.getForPayment': operation({
    summary: 'Get what a payment of an order needs',
    description: 'Nothing is masked.',
    input: Type.Object({ order_id: Uuid }),
    output: Type.Object({ id, customer_id, order_number, status, currency, total, due_total, contact: OrderContact }),
    run: getForPayment,
  }),
  'orders.recordPayment': operation({
    summary: 'Record a payment that a provider reports',
    description:
      'By provider and `provider_payment_id` each payment is recorded once: a pending one may become succeeded or failed, and one ' +
      'that has succeeded stays so. What is more than due is kept as `excess`. Works for closed orders too.',
    input: ReportedPayment,
    output: Type.Object({ payment_id: Uuid, is_new: Type.Boolean() }),
    run: recordPayment,
  }),
  'orders.settleRefund': operation({
    summary: 'Record whether the provider has made a refund',
    description: 'The amount of a refund that failed can be refunded again. The same report again changes nothing.',
    input: SettledRefund,
    run: settleRefund,
  }),
};

async function getForPayment(ctx: Ctx, { order_id }: { order_id: string }) {
  const { contact, customer, ...order } = await getRecord(ctx, { id: order_id });
  const none = { first_name: null, last_name: null, email: null, phone: null };
  const { first_name, last_name, email, phone } = contact ?? customer ?? none;
  return {
    id: order.id,
    customer_id: order.customer_id,
    order_number: order.order_number,
    status: order.status,
    currency: order.currency,
    total: order.total,
    due_total: order.due_total,
    contact: { first_name, last_name, email, phone },
  };
}
