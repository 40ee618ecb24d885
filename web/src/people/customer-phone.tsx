import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useCan } from '../api/use-api.ts';
import { PhoneNumber } from '../ui/phone-number.tsx';
import { toast } from '../ui/toast.tsx';

interface CustomerPhoneProps {
  readonly customerId: string;
  readonly phone: string;
  readonly className?: string;
}

/** The phone; a masked one can be shown once, which the audit log records. */
export function CustomerPhone({ customerId, phone, className = '' }: CustomerPhoneProps) {
  const can = useCan();
  const [shown, setShown] = useState<{ readonly masked: string; readonly whole: string }>();
  const reveal = useAction((client) => client.customers.reveal({ id: customerId, field: 'phone' }), { affects: [] });
  const whole = shown?.masked === phone ? shown.whole : undefined;
  const isMasked = phone.includes('*') && whole === undefined;
  const show = () =>
    reveal.mutate(undefined, {
      onSuccess({ value }) {
        if (value === null) toast('The customer has no phone any more.');
        else setShown({ masked: phone, whole: value });
      },
    });
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <PhoneNumber number={whole ?? phone} className={className} />
      {isMasked && can('customers.edit') && (
        <button
          type="button"
          title="It is recorded that you have seen it."
          aria-label="Show the phone"
          aria-busy={reveal.isPending || undefined}
          onClick={() => !reveal.isPending && show()}
          className="min-h-8 px-1 text-sm text-accent underline-offset-4 hover:underline max-md:min-h-11"
        >
          Show
        </button>
      )}
    </span>
  );
}
