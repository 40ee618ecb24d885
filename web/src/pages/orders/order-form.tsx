import type { DraftOrderDetails, OrderPreview } from '@chowk/client';
import { type ReactNode, useRef, useState } from 'react';
import { useCan, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { count, money } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { AddressSections } from './address-section.tsx';
import { CustomerSection } from './customer-section.tsx';
import { ItemsSection } from './items-section.tsx';
import { type OrderDraft, type OrderErrorName, type OrderErrors, orderTotal, parseQuantity } from './order-draft.ts';
import { OrderSums } from './order-sums.tsx';
import { PaymentSection } from './payment-section.tsx';
import { DeliverySection, DiscountSection } from './price-section.tsx';
import type { EditedOrder } from './use-order-draft.ts';
import { useOrderPreview } from './use-order-preview.ts';

interface OrderFormProps {
  readonly edited: EditedOrder;
  /** The draft that is edited; `undefined` for a new order. */
  readonly saved?: DraftOrderDetails;
  /** Above the fields. */
  readonly notice: ReactNode;
  readonly onCreate: () => Promise<void>;
  /** Keeps it as a draft. */
  readonly save: { readonly label: string; readonly run: () => Promise<void> };
}

/** The form of a new order and of a draft. */
export function OrderForm({ edited: { draft, change }, saved, notice, onCreate, save }: OrderFormProps) {
  const [areItemErrorsOutdated, setOutdated] = useState(false);
  const [clicked, setClicked] = useState<'create' | 'save'>();
  const button = useRef<HTMLButtonElement>(null);
  const isSaving = useRef(false);
  const can = useCan();
  const ownCurrency = useMe().data?.currency;
  const currency = saved?.currency ?? ownCurrency;
  const form = useForm<object, OrderErrorName>(() => {
    setOutdated(false);
    return isSaving.current ? save.run() : onCreate();
  });
  const choose = (intent: 'create' | 'save') => () => {
    isSaving.current = intent === 'save';
    setClicked(intent);
  };
  useKeys([{ key: 'mod+enter', label: 'Create order', run: () => button.current?.click() }]);
  const errors = areItemErrorsOutdated ? withoutItems(form.errors) : form.errors;
  const { preview, isOutdated } = useOrderPreview(draft, saved?.input);
  const common = { draft, onChange: change, errors };
  const price = { ...common, preview, currency };
  const isMasked = saved !== undefined && !can('customers.view_sensitive');
  return (
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
        {notice}
        {form.problem && <Notice tone="error">{form.problem}</Notice>}
        <CustomerSection {...common} />
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
        <AddressSections {...common} isMasked={isMasked} />
        {draft.items.length > 0 && <DeliverySection {...price} />}
        <PaymentSection {...common} />
        <NoteSection {...common} />
      </div>
      <aside
        aria-label="Summary"
        className="grid gap-4 max-lg:sticky max-lg:bottom-0 max-lg:z-[1] max-lg:-mx-4 max-lg:gap-2 max-lg:border-t max-lg:border-line max-lg:bg-canvas max-lg:px-4 max-lg:py-3 max-md:bottom-(--bottom-bar) lg:sticky lg:top-16"
      >
        <Summary draft={draft} preview={preview} isOutdated={isOutdated} currency={currency} error={errors.total} />
        <div className="grid gap-2 max-lg:flex max-lg:flex-row-reverse max-lg:*:flex-1">
          <Button
            ref={button}
            type="submit"
            variant="primary"
            isBusy={form.isBusy && clicked === 'create'}
            onClick={choose('create')}
          >
            Create order
          </Button>
          {can('orders.view') && (
            <Button type="submit" isBusy={form.isBusy && clicked === 'save'} onClick={choose('save')}>
              {save.label}
            </Button>
          )}
        </div>
      </aside>
    </form>
  );
}

interface NoteSectionProps {
  readonly draft: OrderDraft;
  readonly onChange: (changes: Partial<OrderDraft>) => void;
  readonly errors: OrderErrors;
}

function NoteSection({ draft, onChange, errors }: NoteSectionProps) {
  return (
    <Section title="Note" lead="Optional.">
      <TextArea
        aria-label="Note"
        name="note"
        rows={3}
        value={draft.note}
        onChange={({ target }) => onChange({ note: target.value })}
        aria-invalid={errors.note ? true : undefined}
        aria-describedby={errors.note && 'note-error'}
      />
      {errors.note && (
        <p id="note-error" className="text-xs text-error">
          {errors.note}
        </p>
      )}
    </Section>
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
  const total = (!isOutdated && preview?.total) || orderTotal(items, currency);
  return (
    <div className="grid gap-x-2 gap-y-1 max-lg:grid-cols-[auto_auto_1fr] max-lg:items-baseline lg:pt-1">
      <span className="text-sm text-secondary">Total</span>
      <output className="numeric text-2xl font-semibold tracking-tight break-words max-lg:text-xl">
        {currency === undefined ? total : money(total, currency)}
      </output>
      <span className="numeric text-sm text-secondary max-lg:text-right">
        {units === 1 ? '1 unit' : `${units} units`}
      </span>
      {error && <span className="text-xs text-error max-lg:col-span-full">{error}</span>}
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
