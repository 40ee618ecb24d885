import { action, ById, type Ctx } from '@chowk/kit';
import { findCustomerId } from './conversations.ts';

/** Colleagues who look at a conversation are the members of this channel. Nothing is stored. */
const channelFor = (id: string) => `presence-conversations.${id}`;

async function reportTyping(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await findCustomerId(ctx, { id });
  const { id: user_id, name } = ctx.user;
  await ctx.broadcast(channelFor(id), 'conversation.typing', { conversation_id: id, user_id, name });
}

export const presenceActions = {
  'conversations.reportTyping': action({
    summary: 'Show colleagues that you are writing an answer',
    description:
      'Sends the event `conversation.typing` to the realtime channel `presence-conversations.{id}`, whose members are the colleagues who ' +
      'have the conversation open. Call it again every few seconds.',
    http: 'POST /conversations/:id/typing',
    graphql: false,
    readOnly: true,
    needs: 'conversations.reply',
    input: ById,
    answer: { message: 'Colleagues see that you are writing.' },
    run: reportTyping,
  }),
};
