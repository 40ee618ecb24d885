import type { OrderChanges, OrderDetails } from '@chowk/client';
import { money } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { OrderErrors } from './order-draft.ts';

/** What was changed of the codes and the shipping because the items no longer fit them. */
export type ChangedChoices = Pick<OrderChanges, 'discount_codes' | 'shipping_rate_id' | 'shipping'>;

interface PriceProblemsProps {
  readonly order: OrderDetails;
  readonly choices: ChangedChoices;
  readonly errors: OrderErrors;
  readonly onChange: (changes: ChangedChoices) => void;
}

/** A code or a rate of the order that the changed items no longer fit, and what can be done about it. */
export function PriceProblems({ order, choices, errors, onChange }: PriceProblemsProps) {
  const { shipping, currency } = order;
  const codes = choices.discount_codes ?? order.discount_codes;
  return (
    <>
      {errors.discount_codes && (
        <Notice tone="error">
          {errors.discount_codes}
          <div className="mt-2 flex flex-wrap gap-2">
            {codes.map((code) => (
              <Button key={code} onClick={() => onChange({ discount_codes: codes.filter((one) => one !== code) })}>
                Remove {code}
              </Button>
            ))}
          </div>
        </Notice>
      )}
      {errors.shipping_rate_id && (
        <Notice tone="error">
          {errors.shipping_rate_id}
          <div className="mt-2 flex flex-wrap gap-2">
            {shipping && (
              <Button
                onClick={() =>
                  onChange({ shipping_rate_id: null, shipping: { title: shipping.title, price: shipping.price } })
                }
              >
                Keep {money(shipping.price, currency)}
              </Button>
            )}
            <Button onClick={() => onChange({ shipping_rate_id: null })}>Remove the charge</Button>
          </div>
        </Notice>
      )}
    </>
  );
}
