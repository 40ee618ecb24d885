import type { CustomerOrder } from '@chowk/client';
import type { Tone } from '../../ui/status-pill.tsx';

const tones: Readonly<Record<string, Tone>> = {
  pending: 'warning',
  confirmed: 'info',
  processing: 'info',
  shipped: 'info',
  delivered: 'success',
  failed: 'error',
};

export function statusTone(status: string): Tone {
  return tones[status] ?? 'neutral';
}

export function statusLabel(status: string): string {
  return status.charAt(0).toUpperCase() + status.slice(1);
}

/** The items in one line: `2 × Tea, Rice`. */
export function summaryOf({ items }: CustomerOrder): string {
  return (items as readonly { readonly name: string; readonly quantity: number }[])
    .map(({ name, quantity }) => (quantity === 1 ? name : `${quantity} × ${name}`))
    .join(', ');
}
