import { type Static, TimestampInput, Type, Uuid } from '@chowk/kit';

/** A request that another system has signed. */
export const SignedRequest = Type.Object({
  body: Type.String(),
  headers: Type.Record(Type.String(), Type.Unknown()),
});
export type SignedRequest = Static<typeof SignedRequest>;
export const SignedReceipt = Type.Object({ ...SignedRequest.properties, id: Uuid });

export const maxAttachments = 10;

/** What a server of the tenant sends when a customer has written. */
export const InboundMessage = Type.Object({
  type: Type.Literal('message.received'),
  data: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200 }),
    channel: Type.Enum(['email', 'sms', 'whatsapp', 'webchat', 'other']),
    from: Type.Object({
      phone: Type.Optional(Type.String({ maxLength: 32 })),
      email: Type.Optional(Type.String({ maxLength: 255 })),
      name: Type.Optional(Type.String({ maxLength: 255 })),
    }),
    subject: Type.Optional(Type.String({ maxLength: 255 })),
    body: Type.String({ maxLength: 20_000 }),
    /** The `id` of a message that the server sent or got. */
    in_reply_to: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    sent_at: Type.Optional(TimestampInput),
    attachments: Type.Optional(
      Type.Array(
        Type.Object({
          url: Type.String({ maxLength: 2_000 }),
          file_name: Type.Optional(Type.String({ maxLength: 255 })),
        }),
        { maxItems: maxAttachments },
      ),
    ),
  }),
});
export type InboundMessage = Static<typeof InboundMessage>;
/** What a server of the tenant sends when a message that it got has arrived or failed. */
export const ReportedMessage = Type.Object({
  type: Type.Enum(['message.delivered', 'message.read', 'message.failed']),
  data: Type.Object({ id: Uuid, reason: Type.Optional(Type.String({ maxLength: 500 })) }),
});
