import { Nullable, operation, Type, Uuid } from '@chowk/kit';
import { replyAddress, takesMail } from './addresses.ts';
import { findAddress } from './imap/mailbox.ts';
import { acceptMail } from './incoming.ts';

export const operations = {
  'mailbox.takesMail': operation({
    summary: 'Check whether the tenant receives mails at an address',
    description: 'Called by the server that receives mails.',
    input: Type.Object({ address: Type.String() }),
    output: Type.Boolean(),
    run: takesMail,
  }),
  'mailbox.accept': operation({
    summary: 'Store a mail until it is read',
    description: 'Called by the server that receives mails. A large mail is a file of this module.',
    atomic: true,
    input: Type.Object({
      content: Type.Unsafe<Uint8Array | null>({}),
      file_id: Nullable(Uuid),
    }),
    run: acceptMail,
  }),
  'mailbox.replyAddress': operation({
    summary: 'Get the address at which answers to a conversation are received',
    description: 'That of the own mailbox of the tenant, if there is one. Null if no mails are received.',
    input: Type.Object({ conversation_id: Uuid }),
    output: Nullable(Type.String()),
    run: async (ctx, input) => (await findAddress(ctx)) ?? replyAddress(ctx, input),
  }),
};
