import type { Order, PaymentLink } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import type { PaymentPlan } from './order-draft.ts';

interface Placed {
  readonly order: Order;
  readonly link: PaymentLink;
}

interface PlacedOrder {
  /** Goes to the order, after its payment link is created and sent if there is one. */
  readonly finish: (order: Order, plan: PaymentPlan) => Promise<void>;
  readonly dialog: ReactNode;
}

/** What follows when an order is created. */
export function usePlacedOrder(): PlacedOrder {
  const [placed, setPlaced] = useState<Placed>();
  const navigate = useNavigate();
  const refetch = useRefetch();
  const can = useCan();
  const leave = (order: Order) =>
    can('orders.view') ? navigate({ to: '/orders/$id', params: { id: order.id } }) : navigate({ to: '/' });
  async function retry(order: Order): Promise<void> {
    const link = await createLink(order, () => void retry(order));
    if (link) toast('Payment link ready to copy.');
    await refetch(keys.orders.links(order.id));
  }
  return {
    async finish(order, plan) {
      toast(`Order ${order.order_number} created.`);
      const link = plan === 'payment_link' ? await createLink(order, () => void retry(order)) : undefined;
      if (link) setPlaced({ order, link });
      else await leave(order);
      await refetch(...affectedByOrder(order), keys.orders.drafts);
    },
    dialog: placed && <LinkDialog {...placed} onClose={() => void leave(placed.order)} />,
  };
}

/** The order is there, whatever the provider says: it can be asked again on the page of the order. */
async function createLink({ id }: Order, retry: () => void): Promise<PaymentLink | undefined> {
  try {
    return (await api().payments.createLink({ id })).link;
  } catch (error) {
    toast(`There is no payment link. ${errorMessage(error)}`, { label: 'Try again', run: retry });
    return undefined;
  }
}

function LinkDialog({ order, link, onClose }: Placed & { readonly onClose: () => void }) {
  const { order_number, contact } = order;
  const url = link.url ?? '';
  const text = `You can pay your order ${order_number} of ${money(link.amount, link.currency)} here: ${url}`;
  const digits = contact?.phone?.replace(/\D/g, '') ?? '';
  const style = 'text-accent underline underline-offset-4 hover:text-accent-strong';
  return (
    <Dialog title={`Payment link for order ${order_number}`} isOpen onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-secondary">
          Send it to the customer. The order shows the payment by itself, and the link stays on its page.
        </p>
        <p className="rounded-control bg-sunken px-3 py-2 text-sm break-all select-all">{url}</p>
        {(contact?.email || digits) && (
          <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
            {contact?.email && (
              <a
                href={`mailto:${contact.email}?subject=${encodeURIComponent(`Order ${order_number}`)}&body=${encodeURIComponent(text)}`}
                className={style}
              >
                Write an email
              </a>
            )}
            {digits && (
              <a
                href={`https://wa.me/${digits}?text=${encodeURIComponent(text)}`}
                target="_blank"
                rel="noreferrer"
                className={style}
              >
                Open WhatsApp
              </a>
            )}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Go to the order</Button>
          <CopyButton text={url} label="Copy link" autoFocus />
        </div>
      </div>
    </Dialog>
  );
}
