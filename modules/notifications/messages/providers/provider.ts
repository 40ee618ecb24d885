import type { Ctx } from '@chowk/kit';
import type { Purpose } from '../../schemas.ts';

export type Channel = 'in_app' | 'email' | 'sms' | 'whatsapp';

/** A message as a provider gets it. */
export interface OutboundMessage {
  readonly id: string;
  readonly channel: Channel;
  readonly recipient: string;
  readonly subject: string | null;
  readonly body: string;
  readonly customer_id: string | null;
  readonly purpose: Purpose;
}

/** `retry`: another attempt may succeed. Reasons contain neither credentials nor the recipient's address. */
export type Outcome =
  | { readonly status: 'sent'; readonly providerMessageId: string | null }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'retry'; readonly reason: string; readonly afterSeconds?: number };

export type Provider = (ctx: Ctx, message: OutboundMessage) => Promise<Outcome>;
