import { action, type Ctx, Default, NamedObject, type Static, sql, Type, Uuid } from '@chowk/kit';
import { fail } from './errors.ts';
import { firstName } from './people.ts';
import type { ConversationRecord } from './schemas.ts';

/** Colleagues who look at a conversation are the members of this channel. Nothing is stored. */
const channelFor = (id: string) => `presence-conversations.${id}`;

const Typing = NamedObject('ConversationTyping', {
  id: Uuid,
  is_note: Default(
    Type.Boolean({ description: 'You write a note: a visitor of the web chat does not see it.' }),
    false,
  ),
});

async function reportTyping(ctx: Ctx, { id, is_note }: Static<typeof Typing>): Promise<void> {
  const row = await ctx.db.row<Pick<ConversationRecord, 'channel'>>(
    sql`SELECT channel FROM conversations WHERE id = ${id}`,
  );
  if (!row) throw fail('conversations.not_found', { id });
  const { id: user_id, name } = ctx.user;
  await ctx.broadcast(channelFor(id), 'conversation.typing', { conversation_id: id, user_id, name });
  if (row.channel !== 'webchat' || is_note) return;
  await ctx.bus.callIfInstalled('widget.announceTyping', { conversation_id: id, author: firstName(name) });
}

export const presenceActions = {
  'conversations.reportTyping': action({
    summary: 'Show that you are writing an answer',
    description:
      'Sends the event `conversation.typing` to the realtime channel `presence-conversations.{id}`, whose members are the colleagues who ' +
      'have the conversation open. A visitor of the web chat sees it, too. Call it again every few seconds.',
    http: 'POST /conversations/:id/typing',
    graphql: false,
    readOnly: true,
    needs: 'conversations.reply',
    limit: { perMinute: 60, by: 'user' },
    input: Typing,
    answer: { message: 'Colleagues see that you are writing.' },
    run: reportTyping,
  }),
};
