import { type Ctx, Nullable, operation, Type, Uuid } from '@chowk/kit';
import { findAddress } from './imap/mailbox.ts';

export const operations = {
  'mailbox.replyAddress': operation({
    summary: 'Get the address at which answers to a conversation are received',
    description: 'Null if the platform receives no mails.',
    input: Type.Object({ conversation_id: Uuid }),
    output: Nullable(Type.String()),
    run: (ctx: Ctx) => findAddress(ctx),
  }),
};
