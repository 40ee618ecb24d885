import { Select } from '../../ui/field.tsx';
import type { DraftDiscount } from './order-draft.ts';

interface DiscountKindProps {
  readonly label: string;
  readonly kind: DraftDiscount['kind'];
  readonly currency: string | undefined;
  readonly onChange: (kind: DraftDiscount['kind']) => void;
}

/** Whether a discount is a percentage or an amount. */
export function DiscountKind({ label, kind, currency, onChange }: DiscountKindProps) {
  return (
    <Select aria-label={label} value={kind} onChange={({ target }) => onChange(target.value as DraftDiscount['kind'])}>
      <option value="percent">%</option>
      <option value="fixed">{currency ?? 'Amount'}</option>
    </Select>
  );
}
