import { Bytes, Nullable, operation, Type, Uuid } from '@chowk/kit';
import { returnPath, takesMail } from './addresses.ts';
import { findAddress } from './imap/mailbox.ts';
import { acceptMail } from './incoming.ts';

export const operations = {
  'mailbox.takesMail': operation({
    summary: 'Check whether the tenant receives mails at an address',
    description: 'The SMTP receiver calls this.',
    input: Type.Object({ address: Type.String() }),
    output: Type.Boolean(),
    run: takesMail,
  }),
  'mailbox.accept': operation({
    summary: 'Store a mail until it is read',
    description: 'The SMTP receiver calls this. A large mail is stored as a file of this module.',
    atomic: true,
    input: Type.Object({
      content: Nullable(Bytes),
      file_id: Nullable(Uuid),
    }),
    run: acceptMail,
  }),
  'mailbox.replyAddress': operation({
    summary: 'Get the address at which answers to a mail are received',
    description:
      'That of the own mailbox of the tenant, if there is one. Null if no mails are received. Without a conversation, that of mails ' +
      'that begin one.',
    input: Type.Object({ conversation_id: Type.Optional(Uuid) }),
    output: Nullable(Type.String()),
    run: async (ctx, input) => (await findAddress(ctx)) ?? returnPath(ctx, input),
  }),
  'mailbox.returnPath': operation({
    summary: 'Get the address to which mail servers report that a mail was not delivered',
    description:
      'One that the platform itself receives mails at: mail servers refuse senders of other domains. Null if it receives none.',
    input: Type.Object({ conversation_id: Type.Optional(Uuid) }),
    output: Nullable(Type.String()),
    run: async (ctx, input) => returnPath(ctx, input),
  }),
};
