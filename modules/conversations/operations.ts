import { operation, Type, Uuid } from '@chowk/kit';
import { readAttachments, storeAttachment } from './attachments.ts';
import { recordSeen } from './delivery.ts';
import { receiveMessage } from './receive.ts';
import { Received, ReceivedMessage } from './schemas.ts';
import { listForVisitor, VisitorMessage } from './visitors.ts';

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
  'conversations.listForVisitor': operation({
    summary: 'List the messages of a conversation for a visitor',
    description:
      'Without notes, and without what only members of the team see. `after`: only those after this message.',
    input: Type.Object({ conversation_id: Uuid, after: Type.Optional(Uuid) }),
    output: Type.Array(VisitorMessage),
    run: listForVisitor,
  }),
  'conversations.recordSeen': operation({
    summary: 'Record which messages a visitor has got or read',
    description: 'All messages of the team up to this one.',
    input: Type.Object({ conversation_id: Uuid, message_id: Uuid, status: Type.Enum(['delivered', 'read']) }),
    run: recordSeen,
  }),
  'conversations.readAttachments': operation({
    summary: 'Read the attachments of a message',
    input: Type.Object({ message_id: Uuid }),
    output: Type.Unsafe<Awaited<ReturnType<typeof readAttachments>>>({}),
    run: readAttachments,
  }),
};
