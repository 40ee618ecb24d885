import { Bytes, operation, Type, Uuid } from '@chowk/kit';
import { linkAttachments, ReceivedFile, readAttachments, storeAttachment } from './attachments.ts';
import { recordSeen } from './delivery.ts';
import { readOpeningHours } from './opening-hours.ts';
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
      'Before `conversations.receive`, outside a transaction. A file that may not be shown is kept for downloads only.',
    input: ReceivedFile,
    output: Uuid,
    run: storeAttachment,
  }),
  'conversations.openingState': operation({
    summary: 'Check whether the team is there now',
    description: 'By the opening hours and holidays of the settings. Without opening hours, always.',
    input: Type.Object({}),
    output: Type.Object({ is_open: Type.Boolean() }),
    run: async (ctx) => ({ is_open: (await readOpeningHours(ctx)).isOpen }),
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
    output: Type.Array(Type.Object({ fileName: Type.String(), type: Type.String(), content: Bytes })),
    run: readAttachments,
  }),
  'conversations.linkAttachments': operation({
    summary: 'Get links to the attachments of a message',
    description: 'For providers that fetch the files. A link works for an hour.',
    input: Type.Object({ message_id: Uuid }),
    output: Type.Array(Type.Object({ file_name: Type.String(), type: Type.String(), url: Type.String() })),
    run: linkAttachments,
  }),
};
