import type { OrderPreview } from '@chowk/client';
import { useState } from 'react';
import { money } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { DiscountKind } from './discount-kind.tsx';
import type { OrderDraft, OrderErrors } from './order-draft.ts';

interface PriceSectionProps {
  readonly draft: OrderDraft;
  readonly preview: OrderPreview | undefined;
  readonly currency: string | undefined;
  readonly onChange: (changes: Partial<OrderDraft>) => void;
  readonly errors: OrderErrors;
}

/** A code, or an amount or a share off the whole order. Folded until it is needed. */
export function DiscountSection({ draft, preview, currency, onChange, errors }: PriceSectionProps) {
  const { code, discount } = draft;
  const [isOpen, setOpen] = useState(code !== '' || discount.value !== '');
  if (!isOpen) {
    return (
      <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => setOpen(true)}>
        Add a discount
      </Button>
    );
  }
  const problem = preview?.problems.find(({ field }) => field === 'discount_codes')?.message;
  return (
    <Section title="Discount" lead="Optional.">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Code" name="discount_codes" error={errors.discount_codes ?? (code === '' ? undefined : problem)}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="characters"
              value={code}
              onChange={({ target }) => onChange({ code: target.value })}
            />
          )}
        </Field>
        <Field label="Off the order" name="discounts.0.value" error={errors['discounts.0.value']}>
          {(control) => (
            <span className="grid grid-cols-[minmax(0,1fr)_7rem] gap-2">
              <Input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                className="numeric text-right"
                value={discount.value}
                onChange={({ target }) => onChange({ discount: { ...discount, value: target.value } })}
              />
              <DiscountKind
                label="Kind of discount"
                kind={discount.kind}
                currency={currency}
                onChange={(kind) => onChange({ discount: { ...discount, kind } })}
              />
            </span>
          )}
        </Field>
      </div>
    </Section>
  );
}

/** The rates for the address, or an amount of one's own. */
export function DeliverySection({ draft, preview, currency, onChange, errors }: PriceSectionProps) {
  const { shippingRateId, shippingPrice } = draft;
  const rates = preview?.shipping_rates ?? [];
  const choices = [
    { id: '', name: 'No charge', price: undefined },
    ...rates.map(({ id, name, price }) => ({ id, name, price })),
    { id: 'own', name: 'Other amount', price: undefined },
  ];
  return (
    <Section title="Delivery charge">
      <div role="radiogroup" aria-label="Delivery charge" className="grid gap-1">
        {choices.map(({ id, name, price }) => (
          <label key={id} className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
            <input
              type="radio"
              name="shipping_rate_id"
              className="size-4 accent-accent"
              checked={shippingRateId === id}
              onChange={() => onChange({ shippingRateId: id })}
            />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {price !== undefined && (
              <span className="numeric text-secondary">{currency === undefined ? price : money(price, currency)}</span>
            )}
          </label>
        ))}
      </div>
      {shippingRateId === 'own' && (
        <Field
          label={currency === undefined ? 'Amount' : `Amount in ${currency}`}
          name="shipping.price"
          error={errors['shipping.price']}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              className="numeric max-w-40 text-right"
              value={shippingPrice}
              onChange={({ target }) => onChange({ shippingPrice: target.value })}
            />
          )}
        </Field>
      )}
      {errors.shipping_rate_id && <p className="text-xs text-error">{errors.shipping_rate_id}</p>}
    </Section>
  );
}
