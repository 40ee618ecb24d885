import { operation, Type, Uuid } from '@chowk/kit';
import { readAttachments, storeAttachment } from './attachments.ts';
import { receiveMessage } from './receive.ts';
import { Received, ReceivedMessage } from './schemas.ts';

export const operations = {
  'conversations.receive': operation({
    summary: 'Add a message that came in over a channel',
    description:
      'Once for each `external_id`. It goes to the conversation that it answers, on channels without subjects to the latest one of ' +
      'the customer, and otherwise begins a new one. Finds or creates the customer.',
    atomic: true,
    input: Received,
    output: ReceivedMessage,
    run: receiveMessage,
  }),
  'conversations.storeAttachment': operation({
    summary: 'Store a file that came with a message',
    description:
      'Before `conversations.receive`, outside a transaction. A file of another type is noted without its content.',
    input: Type.Object({ file_name: Type.String(), content: Type.Unsafe<Uint8Array>({}) }),
    output: Uuid,
    run: storeAttachment,
  }),
  'conversations.readAttachments': operation({
    summary: 'Read the attachments of a message',
    input: Type.Object({ message_id: Uuid }),
    output: Type.Unsafe<Awaited<ReturnType<typeof readAttachments>>>({}),
    run: readAttachments,
  }),
};
