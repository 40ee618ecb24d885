import { type Ctx, changesBetween } from '@chowk/kit';
import { getConversation } from './conversations.ts';
import { emitChanges } from './events.ts';
import { lockConversation } from './lock.ts';
import { addMessage } from './messages.ts';
import { withAuthors } from './people.ts';
import type { Conversation, ConversationRecord, Message, Reply } from './schemas.ts';

interface Replied {
  conversation: Conversation;
  conversation_message: Message;
}

export async function reply(ctx: Ctx, { id, ...input }: Reply): Promise<Replied> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, { id });
    const added = await addMessage(tx, current, input);
    tx.audit(changesBetween<ConversationRecord>(current, { status: added.conversation.status }));
    await tx.emit('conversation.message_created', added, { about: id });
    await emitChanges(tx, current, added.conversation);
    const [message] = await withAuthors(tx, [added.message]);
    return { conversation: await getConversation(tx, { id }), conversation_message: message as Message };
  });
}
