import { ChowkError, type DraftOrderDetails } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ReceiptText, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { tenantKey, useApi } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { customerName } from '../../people/customer-name.ts';
import { api, useTenant } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { DraftsLink } from './drafts-link.tsx';
import { OrderForm } from './order-form.tsx';
import { draftChanges, fromSaved } from './order-input.ts';
import { usePlacedOrder } from './placed-order.tsx';
import { useOrderDraft } from './use-order-draft.ts';

export function DraftPage() {
  const { id } = useParams({ from: '/shell/orders/drafts/$id' });
  return (
    <Needs permission="orders.create">
      <Needs permission="orders.view">
        <Draft key={id} id={id} />
      </Needs>
    </Needs>
  );
}

type Finish = ReturnType<typeof usePlacedOrder>['finish'];

function Draft({ id }: { readonly id: string }) {
  const { data, error } = useApi(keys.orders.draft(id), (client) => client.orders.getDraft({ id }));
  const { finish, dialog } = usePlacedOrder();
  return (
    <>
      {data ? <DraftContent draft={data.draft_order} onPlaced={finish} /> : <Unread error={error} />}
      {dialog}
    </>
  );
}

function Unread({ error }: { readonly error: Error | null }) {
  return (
    <Page title="Draft order" actions={<DraftsLink />}>
      <Loading error={error} className="h-96" />
    </Page>
  );
}

function DraftContent({ draft, onPlaced }: { readonly draft: DraftOrderDetails; readonly onPlaced: Finish }) {
  if (draft.order_id === null) return <EditedDraft saved={draft} onPlaced={onPlaced} />;
  const link = (
    <Link
      to="/orders/$id"
      params={{ id: draft.order_id }}
      className="font-medium text-accent underline underline-offset-4"
    >
      Open the order
    </Link>
  );
  return (
    <Page title="Draft order" actions={<DraftsLink />}>
      <EmptyState icon={ReceiptText} title="This draft is an order now" action={link}>
        What was prepared here has been placed.
      </EmptyState>
    </Page>
  );
}

function EditedDraft({ saved, onPlaced }: { readonly saved: DraftOrderDetails; readonly onPlaced: Finish }) {
  const { id, problems } = saved;
  const edited = useOrderDraft(`draft-order.${id}`, fromSaved(saved));
  const { draft, isChanged, clear } = edited;
  const [wasChanged] = useState(isChanged);
  const navigate = useNavigate();
  const refetch = useRefetch();
  const cache = useQueryClient();
  const tenant = useTenant();
  /** Does not overwrite another person’s changes: returns `false` if there are any, and the notice says so. */
  const saveChanges = async (): Promise<boolean> => {
    if (!isChanged) return true;
    try {
      const version = { headers: { 'If-Match': `"${draft.basedOn}"` } };
      const answer = await api().orders.updateDraft({ id, ...draftChanges(saved, draft) }, version);
      cache.setQueryData(tenantKey(tenant, keys.orders.draft(id)), answer);
      clear();
      return true;
    } catch (error) {
      await refetch(keys.orders.draft(id));
      if (error instanceof ChowkError && error.status === 412) return false;
      throw error;
    }
  };
  const save = async () => {
    if (!(await saveChanges())) return;
    toast('Draft saved.');
    await navigate({ to: '/orders/drafts' });
    await refetch(keys.orders.drafts);
  };
  const create = async () => {
    if (!(await saveChanges())) return;
    const { order } = await api().orders.placeDraft({ id });
    await onPlaced(order, draft.payment.plan);
  };
  return (
    <Page
      title="Draft order"
      actions={
        <>
          <DraftsLink />
          <DeleteDraft draft={saved} onDeleted={clear} />
        </>
      }
    >
      <OrderForm
        edited={edited}
        saved={saved}
        notice={
          <DraftNotice
            isOutdated={draft.basedOn !== saved.updated_at}
            isRestored={wasChanged && isChanged}
            problems={isChanged ? [] : problems}
            onDiscard={clear}
          />
        }
        onCreate={create}
        save={{ label: 'Save draft', run: save }}
      />
    </Page>
  );
}

interface DraftNoticeProps {
  /** Somebody else has changed the draft. */
  readonly isOutdated: boolean;
  readonly isRestored: boolean;
  readonly problems: DraftOrderDetails['problems'];
  readonly onDiscard: () => void;
}

function DraftNotice({ isOutdated, isRestored, problems, onDiscard }: DraftNoticeProps): ReactNode {
  const discard = (
    <button type="button" className="font-medium underline underline-offset-4" onClick={onDiscard}>
      Discard your changes
    </button>
  );
  if (isOutdated) {
    return (
      <Notice tone="warning">
        Somebody else has changed this draft, so yours cannot be saved. {discard} to see it as it is now.
      </Notice>
    );
  }
  if (isRestored) return <Notice>Your unsaved changes were restored. {discard}</Notice>;
  if (problems.length === 0) return null;
  return (
    <Notice tone="warning">
      <p>The order cannot be created like this:</p>
      <ul className="list-disc pl-4">
        {problems.map(({ field, message }) => (
          <li key={`${field} ${message}`}>{message}</li>
        ))}
      </ul>
    </Notice>
  );
}

function DeleteDraft({ draft, onDeleted }: { readonly draft: DraftOrderDetails; readonly onDeleted: () => void }) {
  const { id, customer, total, currency } = draft;
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction((client) => client.orders.deleteDraft({ id }), {
    affects: [keys.orders.drafts],
    done: () => 'Draft deleted.',
    async leave() {
      onDeleted();
      await navigate({ to: '/orders/drafts' });
    },
  });
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        <Icon icon={Trash2} />
        Delete draft
      </Button>
      <ConfirmDialog
        title="Delete this draft?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete draft"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        The draft {customer ? `for ${customerName(customer)} ` : ''}over {money(total, currency)} is deleted with
        everything that was entered.
      </ConfirmDialog>
    </>
  );
}
