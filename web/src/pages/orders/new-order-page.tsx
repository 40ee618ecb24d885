import type { OrderPreview } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { count, money } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddressSection } from './address-section.tsx';
import { CustomerSection } from './customer-section.tsx';
import { ItemsSection } from './items-section.tsx';
import {
  type OrderDraft,
  type OrderErrorName,
  type OrderErrors,
  orderTotal,
  parseQuantity,
  toOrder,
  useOrderDraft,
} from './order-draft.ts';
import { OrderSums } from './order-sums.tsx';
import { DeliverySection, DiscountSection } from './price-section.tsx';
import { useOrderPreview } from './use-order-preview.ts';

export function NewOrderPage() {
  const { customer } = useSearch({ from: '/shell/orders/new' });
  return (
    <Needs permission="orders.create">
      <NewOrder key={customer} customer={customer} />
    </Needs>
  );
}

function NewOrder({ customer }: { readonly customer: string | undefined }) {
  const { name, draft, isEmpty, change, clear } = useOrderDraft(customer);
  const [wasEmpty] = useState(isEmpty);
  const [areItemErrorsOutdated, setOutdated] = useState(false);
  const navigate = useNavigate();
  const refetch = useRefetch();
  const can = useCan();
  const button = useRef<HTMLButtonElement>(null);
  const currency = useMe().data?.currency;
  const form = useForm<object, OrderErrorName>(async () => {
    setOutdated(false);
    const { order } = await submit(name, api().orders.create, toOrder(draft));
    clear();
    toast(`Order ${order.order_number} is created.`);
    await refetch(...affectedByOrder(order));
    if (can('orders.view')) await navigate({ to: '/orders/$id', params: { id: order.id } });
    else await navigate({ to: '/' });
  });
  useKeys([{ key: 'mod+enter', label: 'Create order', run: () => button.current?.click() }]);
  const errors = areItemErrorsOutdated ? withoutItems(form.errors) : form.errors;
  const { preview, isOutdated } = useOrderPreview(draft);
  const price = { draft, preview, currency, onChange: change, errors };
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
              You started this order earlier.{' '}
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
          {draft.items.length > 0 && <DiscountSection {...price} />}
          <AddressSection draft={draft} onChange={(address) => change({ address })} errors={errors} />
          {draft.items.length > 0 && <DeliverySection {...price} />}
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
        <aside
          aria-label="Summary"
          className="grid gap-4 max-lg:sticky max-lg:bottom-0 max-lg:z-[1] max-lg:-mx-4 max-lg:grid-cols-[minmax(0,1fr)_auto] max-lg:items-center max-lg:border-t max-lg:border-line max-lg:bg-canvas max-lg:px-4 max-lg:py-3 max-md:bottom-(--bottom-bar) lg:sticky lg:top-16"
        >
          <Summary draft={draft} preview={preview} isOutdated={isOutdated} currency={currency} error={errors.total} />
          <Button ref={button} type="submit" variant="primary" isBusy={form.isBusy}>
            Create order
          </Button>
        </aside>
      </form>
    </Page>
  );
}

interface SummaryProps {
  readonly draft: OrderDraft;
  readonly preview: OrderPreview | undefined;
  readonly isOutdated: boolean;
  readonly currency: string | undefined;
  readonly error: string | undefined;
}

/** The price as the platform calculates it; until it is known, the sum of the items. */
function Summary({ draft: { items }, preview, isOutdated, currency, error }: SummaryProps) {
  const units = items.reduce((sum, item) => sum + (parseQuantity(item) ?? 0), 0);
  const total = (!isOutdated && preview?.total) || orderTotal(items);
  return (
    <div className="grid gap-x-2 gap-y-1 max-lg:grid-cols-[auto_1fr] max-lg:items-baseline lg:pt-1">
      <span className="text-sm text-secondary">Total</span>
      <output className="numeric text-2xl font-semibold tracking-tight break-words">
        {currency === undefined ? total : money(total, currency)}
      </output>
      <span className="numeric text-sm text-secondary">{units === 1 ? '1 unit' : `${units} units`}</span>
      {error && <span className="text-xs text-error">{error}</span>}
      {preview && (
        <div className={`mt-3 grid gap-3 text-sm max-lg:hidden ${isOutdated ? 'opacity-50' : ''}`}>
          <OrderSums price={preview} />
        </div>
      )}
      {preview?.out_of_stock.map(({ variant_id, sku, requested, available }) => (
        <span key={variant_id} className="text-xs text-warning max-lg:col-span-full">
          {sku}: {count(available)} available, {count(requested)} in the order
        </span>
      ))}
    </div>
  );
}

function withoutItems(errors: OrderErrors): OrderErrors {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !name.startsWith('items.')));
}
