import { type Ctx, type Static, Type } from '@chowk/kit';
import type { Purpose } from '../../schemas.ts';

/** Ids of mails, without angle brackets. */
export const Letter = Type.Object({
  message_id: Type.String(),
  in_reply_to: Type.Optional(Type.String()),
  references: Type.Optional(Type.Array(Type.String())),
  reply_to: Type.Optional(Type.String()),
  return_path: Type.Optional(Type.String()),
  is_automatic: Type.Optional(Type.Boolean()),
});
export type Letter = Static<typeof Letter>;

/** A text that WhatsApp has approved: free text is allowed only within 24 hours after a message of the customer. */
export const Template = Type.Object({
  id: Type.String({ pattern: '^HX[0-9a-f]{32}$', description: 'The id of the content template at Twilio.' }),
  variables: Type.Optional(Type.Record(Type.String({ pattern: '^\\w{1,32}$' }), Type.String({ maxLength: 1_024 }))),
});
export type Template = Static<typeof Template>;

export type Channel = 'in_app' | 'email' | 'sms' | 'whatsapp';

/** A message as a provider gets it. */
export interface OutboundMessage {
  readonly id: string;
  readonly channel: Channel;
  readonly recipient: string;
  readonly subject: string | null;
  readonly body: string;
  /** A reply of a conversation may have attachments. */
  readonly is_reply: boolean;
  readonly letter: Letter | null;
  readonly template: Template | null;
  readonly customer_id: string | null;
  readonly purpose: Purpose;
}

/** `retry`: another attempt may succeed. Reasons contain neither credentials nor the recipient's address. */
export type Outcome =
  | { readonly status: 'sent'; readonly providerMessageId: string | null }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'retry'; readonly reason: string; readonly afterSeconds?: number };

export type Provider = (ctx: Ctx, message: OutboundMessage) => Promise<Outcome>;

/** Links to the files of a reply, for providers that fetch them. */
export async function linkFiles(ctx: Ctx, { id, is_reply }: OutboundMessage) {
  if (!is_reply) return [];
  return (await ctx.bus.callIfInstalled('conversations.linkAttachments', { message_id: id })) ?? [];
}
