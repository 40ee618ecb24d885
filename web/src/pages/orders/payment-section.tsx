import { methodName } from '../../format/payment-method.ts';
import { useLinkProvider, usePaymentMethods } from '../../payments/payment-choices.ts';
import { ProviderHint } from '../../payments/provider-hint.tsx';
import { providerName } from '../../payments/provider-name.ts';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import type { OrderDraft, OrderErrors, PaymentPlan } from './order-draft.ts';

interface PaymentSectionProps {
  readonly draft: OrderDraft;
  readonly onChange: (changes: Partial<OrderDraft>) => void;
  readonly errors: OrderErrors;
}

/** How the customer pays. */
export function PaymentSection({ draft: { payment }, onChange, errors }: PaymentSectionProps) {
  const methods = usePaymentMethods();
  const { provider, isKnown } = useLinkProvider();
  const change = (changes: Partial<OrderDraft['payment']>) => onChange({ payment: { ...payment, ...changes } });
  const plan = (name: PaymentPlan, label: string, isDisabled = false) => (
    <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
      <input
        type="radio"
        name="payment_method"
        className="size-4 accent-accent"
        checked={payment.plan === name}
        disabled={isDisabled}
        onChange={() => change({ plan: name, method: payment.method || (methods[0] ?? '') })}
      />
      <span className={isDisabled ? 'text-secondary' : ''}>{label}</span>
    </label>
  );
  return (
    <Section title="Payment">
      <div role="radiogroup" aria-label="Payment" className="grid gap-1">
        {plan('later', 'Not paid yet')}
        {plan('paid', 'Paid now')}
        {payment.plan === 'paid' && (
          <div className="grid gap-4 pt-1 pb-3 pl-6.5 sm:grid-cols-2">
            <Field label="Method" name="payments.0.method" error={errors['payments.0.method']}>
              {(control) => (
                <Select {...control} value={payment.method} onChange={({ target }) => change({ method: target.value })}>
                  {[...new Set([...methods, payment.method])].map((method) => (
                    <option key={method} value={method}>
                      {methodName(method)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Field
              label="Reference"
              name="payments.0.reference"
              help="Such as the number of the transfer. Optional."
              error={errors['payments.0.reference']}
            >
              {(control) => (
                <Input
                  {...control}
                  autoComplete="off"
                  value={payment.reference}
                  onChange={({ target }) => change({ reference: target.value })}
                />
              )}
            </Field>
          </div>
        )}
        {plan('cash_on_delivery', 'Cash on delivery')}
        {isKnown &&
          plan(
            'payment_link',
            provider
              ? `Send a payment link of ${providerName(provider.provider)} after saving`
              : 'Send a payment link after saving',
            !provider && payment.plan !== 'payment_link',
          )}
      </div>
      {isKnown && !provider && (
        <div className="-mt-2 pl-6.5">
          <ProviderHint purpose="to send payment links" />
        </div>
      )}
    </Section>
  );
}
