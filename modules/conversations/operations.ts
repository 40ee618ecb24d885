import { type OperationsOf, operation, Type, Uuid } from '@chowk/kit';
import { assign } from './assignment.ts';
import { createConversation, showConversation } from './conversations.ts';
import { countConversations } from './counts.ts';
import { listConversations } from './list.ts';
import { reply } from './reply.ts';
import {
  Assignment,
  ById,
  Conversation,
  ConversationDetail,
  ConversationPage,
  Counts,
  CreateInput,
  ListInput,
  type ListQuery,
  type NewConversation,
  type NewMessage,
  Replied,
  ReplyInput,
  StatusChange,
} from './schemas.ts';
import { changeStatus } from './status.ts';

export const operations = {
  'conversations.create': operation({
    input: CreateInput,
    output: ConversationDetail,
    run: (ctx, input) => createConversation(ctx, input as NewConversation),
  }),
  'conversations.get': operation({ input: ById, output: ConversationDetail, run: showConversation }),
  'conversations.list': operation({
    input: ListInput,
    output: ConversationPage,
    run: (ctx, query) => listConversations(ctx, query as ListQuery),
  }),
  'conversations.reply': operation({
    input: ReplyInput,
    output: Replied,
    run: (ctx, { id, ...message }) => reply(ctx, { id }, message as NewMessage),
  }),
  'conversations.assign': operation({
    input: Type.Object({ id: Uuid, ...Assignment.properties }),
    output: Conversation,
    run: (ctx, { id, ...assignment }) => assign(ctx, { id }, assignment),
  }),
  'conversations.updateStatus': operation({
    input: Type.Object({ id: Uuid, ...StatusChange.properties }),
    output: Conversation,
    run: (ctx, { id, ...change }) => changeStatus(ctx, { id }, change),
  }),
  'conversations.count': operation({
    input: Type.Object({ customer_id: Type.Optional(Uuid) }),
    output: Counts,
    run: countConversations,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof operations> {}
}
