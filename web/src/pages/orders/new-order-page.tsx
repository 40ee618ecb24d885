import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useRefresh } from '../../api-action.ts';
import { useApi, useCan } from '../../api-query.ts';
import { useForm } from '../../form.ts';
import { money } from '../../format.ts';
import { useKeys } from '../../keys.ts';
import { api } from '../../session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddressSection } from './address-section.tsx';
import { CustomerSection } from './customer-section.tsx';
import { ItemsSection } from './items-section.tsx';
import { type OrderDraft, orderOf, totalOf, useOrderDraft } from './order-draft.ts';

export function NewOrderPage() {
  const { customer } = useSearch({ from: '/shell/orders/new' });
  return (
    <Needs permission="orders.create">
      <NewOrder key={customer} customer={customer} />
    </Needs>
  );
}

function NewOrder({ customer }: { readonly customer: string | undefined }) {
  const { draft, isEmpty, change, clear } = useOrderDraft(customer);
  const [wasEmpty] = useState(isEmpty);
  const [areItemErrorsOutdated, setOutdated] = useState(false);
  const navigate = useNavigate();
  const refresh = useRefresh();
  const can = useCan();
  const submit = useRef<HTMLButtonElement>(null);
  const statistics = useApi(
    ['orders', 'currency'],
    (client) => client.orders.statistics({ days: 1 }),
    can('orders.view'),
  );
  const currency = statistics.data?.currency;
  const form = useForm(async () => {
    setOutdated(false);
    const { order } = await api().orders.create(orderOf(draft), { idempotencyKey: true });
    clear();
    toast(`Order ${order.order_number} is created.`);
    await refresh('orders', 'customers');
    if (can('orders.view')) await navigate({ to: '/orders/$id', params: { id: order.id } });
    else await navigate({ to: '/' });
  });
  useKeys([{ key: 'mod+enter', label: 'Create the order', run: () => submit.current?.click() }]);
  const errors = areItemErrorsOutdated ? withoutItems(form.errors) : form.errors;
  return (
    <Page title="New order">
      <form
        {...form.props}
        // Enter would send an order that is not finished.
        onKeyDown={(event) => {
          const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey;
          if (isPlain && event.target instanceof HTMLInputElement) event.preventDefault();
        }}
        className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_18rem] lg:gap-14"
      >
        <div className="grid gap-10">
          {!wasEmpty && !isEmpty && (
            <Notice>
              This is the order that you began before.{' '}
              <button type="button" className="font-medium underline underline-offset-4" onClick={clear}>
                Start over
              </button>
            </Notice>
          )}
          {form.problem && <Notice tone="error">{form.problem}</Notice>}
          <CustomerSection draft={draft} onChange={change} errors={errors} />
          <ItemsSection
            items={draft.items}
            currency={currency}
            errors={errors}
            onChange={(items) => {
              // The errors have the positions of the items that were sent.
              if (items.length < draft.items.length) setOutdated(true);
              change({ items });
            }}
          />
          <AddressSection draft={draft} onChange={(address) => change({ address })} errors={errors} />
          <Section title="Note" lead="Optional.">
            <TextArea
              aria-label="Note"
              name="note"
              rows={3}
              value={draft.note}
              onChange={({ target }) => change({ note: target.value })}
              aria-invalid={errors.note ? true : undefined}
              aria-describedby={errors.note && 'note-error'}
            />
            {errors.note && (
              <p id="note-error" className="text-xs text-error">
                {errors.note}
              </p>
            )}
          </Section>
        </div>
        <aside aria-label="Summary" className="grid gap-4 lg:sticky lg:top-16">
          <Summary draft={draft} currency={currency} error={errors.total} />
          <Button ref={submit} type="submit" look="primary" isBusy={form.isBusy}>
            Create order
          </Button>
        </aside>
      </form>
    </Page>
  );
}

interface SummaryProps {
  readonly draft: OrderDraft;
  readonly currency: string | undefined;
  readonly error: string | undefined;
}

function Summary({ draft: { items }, currency, error }: SummaryProps) {
  const units = items.reduce((sum, { quantity }) => sum + (Number.parseInt(quantity, 10) || 0), 0);
  const total = totalOf(items);
  return (
    <div className="grid gap-1 border-t border-line pt-4 lg:border-0 lg:pt-1">
      <span className="text-sm text-secondary">Total</span>
      <output className="numeric text-2xl font-semibold tracking-tight break-words">
        {currency === undefined ? total : money(total, currency)}
      </output>
      <span className="numeric text-sm text-secondary">{units === 1 ? '1 unit' : `${units} units`}</span>
      {error && <span className="text-xs text-error">{error}</span>}
    </div>
  );
}

function withoutItems(errors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !name.startsWith('items.')));
}
