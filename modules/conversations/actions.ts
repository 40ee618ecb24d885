import { action, ById, type OperationsOf, Type, Uuid } from '@chowk/kit';
import {
  assignConversation,
  checkAssignee,
  createConversation,
  customerOf,
  deleteConversation,
  explainConversation,
  getDetail,
  reply,
  updateConversation,
} from './conversations.ts';
import { conversationList, countConversations } from './list.ts';
import { messageList } from './messages.ts';
import {
  Assignment,
  Conversation,
  ConversationChanges,
  ConversationCounts,
  ConversationDetail,
  NewConversation,
  Replied,
  Reply,
  StatusChange,
} from './schemas.ts';

const changed = (message: string) => ({
  output: Conversation,
  answer: { key: 'conversation', message },
  errors: ['http.precondition_failed'],
});

export const actions = {
  'conversations.list': action({
    summary: 'List conversations',
    http: 'GET /conversations',
    needs: 'conversations.view',
    bus: { rateLimit: 3_000 },
    ...conversationList.paged,
  }),
  'conversations.create': action({
    summary: 'Start a conversation with a customer',
    description: 'Creates the customer if it does not exist.',
    http: 'POST /conversations',
    needs: 'conversations.reply',
    bus: { rateLimit: 1_200 },
    input: NewConversation,
    output: ConversationDetail,
    answer: { key: 'conversation', message: 'Conversation created.', status: 201 },
    errors: ['conversations.no_customers'],
    run: createConversation,
    explain: explainConversation,
  }),
  'conversations.count': action({
    summary: 'Count conversations by status',
    http: 'GET /conversations/counts',
    needs: 'conversations.view',
    bus: { rateLimit: 6_000 },
    input: Type.Object({ customer_id: Type.Optional(Uuid) }),
    output: ConversationCounts,
    run: countConversations,
  }),
  'conversations.export': action({
    summary: 'Export conversations',
    http: 'GET /conversations/export',
    needs: 'conversations.export',
    ...conversationList.exported,
  }),
  'conversations.get': action({
    summary: 'Get a conversation',
    http: 'GET /conversations/:id',
    needs: 'conversations.view',
    bus: { rateLimit: 6_000 },
    input: ById,
    output: ConversationDetail,
    answer: { key: 'conversation' },
    run: getDetail,
  }),
  'conversations.update': action({
    summary: 'Change the subject of a conversation',
    http: 'PATCH /conversations/:id',
    needs: 'conversations.reply',
    input: ConversationChanges,
    ...changed('Conversation saved.'),
    run: updateConversation,
  }),
  'conversations.delete': action({
    summary: 'Delete a conversation',
    description: 'Also deletes its messages.',
    http: 'DELETE /conversations/:id',
    needs: 'conversations.delete',
    input: ById,
    answer: { message: 'Conversation deleted.' },
    errors: ['http.precondition_failed'],
    run: deleteConversation,
  }),
  'conversations.messages': action({
    summary: 'List the messages of a conversation',
    description: 'Newest first.',
    http: 'GET /conversations/:id/messages',
    needs: 'conversations.view',
    ...messageList.paged,
    run: async (ctx, query) => {
      await customerOf(ctx, query);
      return messageList.page(ctx, query);
    },
  }),
  'conversations.reply': action({
    summary: 'Add a message or a note',
    description: 'A message from the customer reopens the conversation.',
    http: 'POST /conversations/:id/messages',
    needs: 'conversations.reply',
    bus: { rateLimit: 3_000 },
    input: Reply,
    output: Replied,
    answer: { message: 'Message added.', status: 201 },
    run: reply,
  }),
  'conversations.assign': action({
    summary: 'Assign a conversation to a team member',
    description: '`null` unassigns it.',
    http: 'POST /conversations/:id/assign',
    needs: 'conversations.assign',
    bus: { rateLimit: 3_000 },
    input: Assignment,
    ...changed('Assignee changed.'),
    run: assignConversation,
    explain: checkAssignee,
  }),
  'conversations.updateStatus': action({
    summary: 'Change the status of a conversation',
    http: 'POST /conversations/:id/status',
    needs: 'conversations.close',
    bus: { rateLimit: 3_000 },
    input: StatusChange,
    ...changed('Status changed.'),
    run: updateConversation,
  }),
  'conversations.close': action({
    summary: 'Close a conversation',
    http: 'POST /conversations/:id/close',
    needs: 'conversations.close',
    input: ById,
    ...changed('Conversation closed.'),
    run: (ctx, { id }) => updateConversation(ctx, { id, status: 'closed' }),
  }),
  'conversations.reopen': action({
    summary: 'Reopen a conversation',
    http: 'POST /conversations/:id/reopen',
    needs: 'conversations.close',
    input: ById,
    ...changed('Conversation reopened.'),
    run: (ctx, { id }) => updateConversation(ctx, { id, status: 'open' }),
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof actions> {}
}
