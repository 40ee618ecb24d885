import { Message, Paging, type Route, route } from '@chowk/kit';
import { assign } from './assignment.ts';
import { createConversation, deleteConversation, showConversation, updateConversation } from './conversations.ts';
import { countConversations } from './counts.ts';
import { exportConversations } from './export.ts';
import { listConversations } from './list.ts';
import { listMessages } from './messages.ts';
import { reply } from './reply.ts';
import {
  Assignment,
  ById,
  ConversationChanges,
  ConversationPage,
  ConversationSaved,
  CountsAnswer,
  DetailAnswer,
  DetailSaved,
  ExportQuery,
  ListQuery,
  MessagePage,
  MessageSaved,
  NewConversation,
  NewMessage,
  StatusChange,
} from './schemas.ts';
import { changeStatus } from './status.ts';

const tag = 'Conversations';

export const routes: Route[] = [
  route({
    method: 'GET',
    path: '/conversations',
    tag,
    summary: 'A page of conversations that the filters find.',
    needs: 'conversations.view',
    query: ListQuery,
    answer: ConversationPage,
    run: (ctx, { query }) => listConversations(ctx, query),
  }),
  route({
    method: 'POST',
    path: '/conversations',
    tag,
    summary: 'Begins a conversation with a customer, who is made if there is none.',
    needs: 'conversations.reply',
    body: NewConversation,
    status: 201,
    answer: DetailSaved,
    run: async (ctx, { body }) => ({
      message: 'The conversation was created.',
      conversation: await createConversation(ctx, body),
    }),
  }),
  route({
    method: 'GET',
    path: '/conversations/counts',
    tag,
    summary: 'How many conversations there are of each status.',
    needs: 'conversations.view',
    answer: CountsAnswer,
    run: async (ctx) => {
      const { total, ...counts } = await countConversations(ctx, {});
      return { total, counts };
    },
  }),
  route({
    method: 'GET',
    path: '/conversations/export',
    tag,
    summary: 'All conversations that the filters find, as a CSV or JSON file.',
    needs: 'conversations.export',
    query: ExportQuery,
    run: (ctx, { query }) => exportConversations(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/conversations/:id',
    tag,
    summary: 'One conversation with its latest messages.',
    needs: 'conversations.view',
    params: ById,
    answer: DetailAnswer,
    run: async (ctx, { params }) => ({ conversation: await showConversation(ctx, params) }),
  }),
  route({
    method: 'PATCH',
    path: '/conversations/:id',
    tag,
    summary: 'Changes the subject of a conversation.',
    needs: 'conversations.reply',
    params: ById,
    body: ConversationChanges,
    answer: ConversationSaved,
    run: async (ctx, { params, body }) => ({
      message: 'The conversation was saved.',
      conversation: await updateConversation(ctx, params, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/conversations/:id',
    tag,
    summary: 'Deletes a conversation with all its messages.',
    needs: 'conversations.delete',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await deleteConversation(ctx, params);
      return { message: 'The conversation was deleted.' };
    },
  }),
  route({
    method: 'GET',
    path: '/conversations/:id/messages',
    tag,
    summary: 'A page of the messages of a conversation, the newest first.',
    needs: 'conversations.view',
    params: ById,
    query: Paging,
    answer: MessagePage,
    run: (ctx, { params, query }) => listMessages(ctx, params, query),
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/messages',
    tag,
    summary: 'Adds a message or a note; what the customer says opens the conversation again.',
    needs: 'conversations.reply',
    params: ById,
    body: NewMessage,
    status: 201,
    answer: MessageSaved,
    run: async (ctx, { params, body }) => {
      const { conversation, message: conversation_message } = await reply(ctx, params, body);
      return { message: 'The message was added.', conversation, conversation_message };
    },
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/assign',
    tag,
    summary: 'Gives a conversation to a member of the team, or to nobody.',
    needs: 'conversations.assign',
    params: ById,
    body: Assignment,
    answer: ConversationSaved,
    run: async (ctx, { params, body }) => ({
      message: body.assignee_id === null ? 'The conversation is nobody’s now.' : 'The conversation was assigned.',
      conversation: await assign(ctx, params, body),
    }),
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/status',
    tag,
    summary: 'Opens, parks or closes a conversation.',
    needs: 'conversations.close',
    params: ById,
    body: StatusChange,
    answer: ConversationSaved,
    run: async (ctx, { params, body }) => ({
      message: `The conversation is ${body.status} now.`,
      conversation: await changeStatus(ctx, params, body),
    }),
  }),
  ...(['close', 'reopen'] as const).map((verb) =>
    route({
      method: 'POST',
      path: `/conversations/:id/${verb}`,
      tag,
      summary: verb === 'close' ? 'Closes a conversation.' : 'Opens a conversation again.',
      needs: 'conversations.close',
      params: ById,
      answer: ConversationSaved,
      run: async (ctx, { params }) => ({
        message: verb === 'close' ? 'The conversation was closed.' : 'The conversation was reopened.',
        conversation: await changeStatus(ctx, params, { status: verb === 'close' ? 'closed' : 'open' }),
      }),
    }),
  ),
];
