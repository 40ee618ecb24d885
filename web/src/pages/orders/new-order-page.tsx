import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { DraftsLink } from './drafts-link.tsx';
import { emptyDraft } from './order-draft.ts';
import { OrderForm } from './order-form.tsx';
import { toOrder } from './order-input.ts';
import { usePlacedOrder } from './placed-order.tsx';
import { savingName, useOrderDraft } from './use-order-draft.ts';

export function NewOrderPage() {
  const { customer } = useSearch({ from: '/shell/orders/new' });
  return (
    <Needs permission="orders.create">
      <NewOrder key={customer} customer={customer} />
    </Needs>
  );
}

function NewOrder({ customer }: { readonly customer: string | undefined }) {
  const edited = useOrderDraft(`order.${customer ?? 'new'}`, { ...emptyDraft, customerId: customer });
  const { name, draft, isChanged, clear } = edited;
  const [wasChanged] = useState(isChanged);
  const { finish, dialog } = usePlacedOrder();
  const navigate = useNavigate();
  const refetch = useRefetch();
  const create = async () => {
    const { order } = await submit(name, api().orders.create, toOrder(draft));
    clear();
    await finish(order, draft.payment.plan);
  };
  const save = async () => {
    await submit(savingName(name), api().orders.createDraft, toOrder(draft));
    clear();
    toast('Draft saved.');
    await navigate({ to: '/orders/drafts' });
    await refetch(keys.orders.drafts);
  };
  const restored = wasChanged && isChanged && (
    <Notice>
      You started this order earlier.{' '}
      <button type="button" className="font-medium underline underline-offset-4" onClick={clear}>
        Start over
      </button>
    </Notice>
  );
  return (
    <Page title="New order" actions={<DraftsLink />}>
      <OrderForm edited={edited} notice={restored} onCreate={create} save={{ label: 'Save as draft', run: save }} />
      {dialog}
    </Page>
  );
}
