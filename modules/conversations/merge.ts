import { action, type Ctx, type Issues, NamedObject, type Static, sql, Uuid } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { findCustomerId, getConversation, lockConversation } from './conversations.ts';
import { fail } from './errors.ts';
import { Conversation, type ConversationRecord } from './schemas.ts';

const Merge = NamedObject('ConversationMerge', {
  id: Uuid,
  conversation_id: { ...Uuid, description: 'The conversation whose messages are moved, and which is then gone.' },
});
type Merge = Static<typeof Merge>;

async function checkMerge(_ctx: Ctx, { id, conversation_id }: Partial<Merge>, issues: Issues): Promise<void> {
  if (id !== undefined && id === conversation_id) {
    issues.add('conversation_id', 'A conversation cannot be merged with itself.');
  }
}

/** Moves the messages of another conversation of the customer to this one. */
async function mergeConversations(ctx: Ctx, { id, conversation_id: from }: Merge): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    // The customer is locked first and is one for both, so two merges at once cannot wait for each other.
    const customers = [await findCustomerId(tx, { id }), await findCustomerId(tx, { id: from })];
    if (customers[0] !== customers[1]) throw fail('conversations.other_customer');
    const [target, merged] = await lockBoth(tx, id, from);
    await moveMessages(tx, target, merged);
    const conversation = await saveTarget(tx, id, from);
    await removeMerged(tx, merged, id);
    tx.audit({ merged_id: [null, from] });
    await tx.emit('conversation.merged', { conversation, merged_id: from });
    await tx.emit('conversation.deleted', { conversation: merged });
    return getConversation(tx, { id });
  });
}

async function lockBoth(ctx: Ctx, id: string, from: string): Promise<[ConversationRecord, ConversationRecord]> {
  const first = await lockConversation(ctx, { id: id < from ? id : from });
  const second = await lockConversation(ctx, { id: id < from ? from : id });
  const pair: [ConversationRecord, ConversationRecord] = id < from ? [first, second] : [second, first];
  if (pair[0].customer_id !== pair[1].customer_id) throw fail('conversations.other_customer');
  return pair;
}

/** Visitors of a web chat do not see what others have written, or what was written to others. */
async function moveMessages(ctx: Ctx, { id }: ConversationRecord, merged: ConversationRecord): Promise<void> {
  await ctx.db.run(sql`
    UPDATE conversation_messages SET conversation_id = ${id}, is_for_visitor = false WHERE conversation_id = ${merged.id}`);
}

/** A conversation that the customer has not been answered in stays open. */
async function saveTarget(ctx: Ctx, id: string, from: string): Promise<ConversationRecord> {
  const saved = await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET message_count = c.message_count + f.message_count, updated_at = ${ctx.now()},
      created_at = least(c.created_at, f.created_at),
      last_message_at = greatest(c.last_message_at, f.last_message_at),
      last_inbound_at = greatest(c.last_inbound_at, f.last_inbound_at),
      contact = CASE WHEN f.last_inbound_at > coalesce(c.last_inbound_at, '-infinity') THEN f.contact ELSE c.contact END,
      has_attachment = c.has_attachment OR f.has_attachment,
      answered_on = greatest(c.answered_on, f.answered_on),
      assignee_id = coalesce(c.assignee_id, f.assignee_id),
      status = CASE WHEN f.status = 'open' THEN f.status ELSE c.status END,
      closed_at = CASE WHEN f.status <> 'open' THEN c.closed_at END,
      closed_by = CASE WHEN f.status <> 'open' THEN c.closed_by END
    FROM conversations f WHERE c.id = ${id} AND f.id = ${from}
    RETURNING ${recordColumns}`);
  await ctx.db.run(sql`SELECT keep_first_answer(${id})`);
  return saved as ConversationRecord;
}

/** What still names it, such as an answer to an old address, finds the other one. */
async function removeMerged(ctx: Ctx, merged: ConversationRecord, id: string): Promise<void> {
  await ctx.db.run(sql`UPDATE merged_conversations SET merged_into = ${id} WHERE merged_into = ${merged.id}`);
  await ctx.db.run(sql`INSERT INTO merged_conversations VALUES (${merged.id}, ${id}, ${ctx.now()})`);
  await ctx.db.run(sql`DELETE FROM conversations WHERE id = ${merged.id}`);
}

export const mergeActions = {
  'conversations.merge': action({
    summary: 'Merge another conversation of the customer into this one',
    description: 'Moves its messages here; it cannot be undone. This one keeps its channel and subject.',
    http: 'POST /conversations/:id/merge',
    graphql: 'mergeConversations',
    needs: 'conversations.close',
    input: Merge,
    output: Conversation,
    answer: { key: 'conversation', message: 'Conversations merged.' },
    errors: ['conversations.other_customer'],
    check: checkMerge,
    run: mergeConversations,
  }),
};
