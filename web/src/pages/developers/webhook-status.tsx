import type { Webhook, WebhookDelivery } from '@chowk/client';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';

export function WebhookStatus({ webhook: { is_active, disabled_at } }: { readonly webhook: Webhook }) {
  if (disabled_at) return <StatusPill tone="error">Disabled</StatusPill>;
  return is_active ? <StatusPill tone="success">On</StatusPill> : <StatusPill>Off</StatusPill>;
}

export const deliveryStatuses: Readonly<
  Record<WebhookDelivery['status'], { readonly label: string; readonly tone: Tone }>
> = {
  pending: { label: 'Pending', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'success' },
  failed: { label: 'Failed', tone: 'error' },
};

/** What it is called in lists and messages. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description || (URL.canParse(url) ? new URL(url).hostname : url);
}
