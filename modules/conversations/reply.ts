import type { Ctx } from '@chowk/kit';
import { getConversation } from './conversations.ts';
import { tellMessage, tellStatus } from './events.ts';
import { lockConversation } from './lock.ts';
import { addMessage, mustSaySomething } from './messages.ts';
import { withAuthors } from './people.ts';
import type { Conversation, ConversationMessage, NewMessage } from './schemas.ts';

/** Adds a message or a note. What the customer says opens the conversation again. */
export async function reply(
  ctx: Ctx,
  { id }: { id: string },
  input: NewMessage,
): Promise<{ conversation: Conversation; message: ConversationMessage }> {
  mustSaySomething(input, 'body');
  return ctx.tx(async (tx) => {
    const before = await lockConversation(tx, id);
    const { conversation, message } = await addMessage(tx, before, input);
    await tellMessage(tx, conversation, message);
    await tellStatus(tx, conversation, before.status);
    const [shown] = await withAuthors(tx, [message]);
    return { conversation: await getConversation(tx, { id }), message: shown as ConversationMessage };
  });
}
