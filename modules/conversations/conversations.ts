import { type Ctx, Failure, invalid, sql } from '@chowk/kit';
import { columns, recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import { tellCreated, tellDeleted, tellMessage } from './events.ts';
import { lockConversation } from './lock.ts';
import { addMessage, latestMessages, mustSaySomething } from './messages.ts';
import { type Row, withAuthors, withPeople } from './people.ts';
import type {
  Conversation,
  ConversationChanges,
  ConversationDetail,
  ConversationRecord,
  CustomerInput,
  NewConversation,
} from './schemas.ts';

export async function getConversation(ctx: Ctx, { id }: { id: string }): Promise<Conversation> {
  const row = await ctx.db.row<Row>(sql`SELECT ${columns} FROM conversations c WHERE id = ${id}`);
  if (!row) throw fail('conversations.not_found', { id });
  const [conversation] = await withPeople(ctx, [row]);
  return conversation as Conversation;
}

/** With the latest of what was said. */
export async function showConversation(ctx: Ctx, { id }: { id: string }): Promise<ConversationDetail> {
  const conversation = await getConversation(ctx, { id });
  const messages = await latestMessages(ctx, id, { page: 1, per_page: 20 });
  return { ...conversation, messages: await withAuthors(ctx, messages) };
}

/** Begins a conversation, with a customer that is made if there is none, and perhaps with its first message. */
export async function createConversation(ctx: Ctx, input: NewConversation): Promise<ConversationDetail> {
  const { channel, subject, message: first } = input;
  if (first) mustSaySomething(first, 'message.body');
  return ctx.tx(async (tx) => {
    const customerId = await findCustomer(tx, input.customer);
    const begun = await insertConversation(tx, { customerId, channel, subject: subject.trim() });
    const said = first && (await addMessage(tx, begun, first));
    await tellCreated(tx, said?.conversation ?? begun);
    if (said) await tellMessage(tx, said.conversation, said.message);
    return showConversation(tx, begun);
  });
}

export async function updateConversation(
  ctx: Ctx,
  { id }: { id: string },
  { subject }: ConversationChanges,
): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, id);
    const wanted = subject?.trim() ?? current.subject;
    if (wanted !== current.subject) {
      await tx.db.run(sql`UPDATE conversations SET subject = ${wanted}, updated_at = ${tx.now()} WHERE id = ${id}`);
    }
    return getConversation(tx, { id });
  });
}

/** Removes a conversation with all that was said in it. */
export async function deleteConversation(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const conversation = await lockConversation(tx, id);
    await tx.db.run(sql`DELETE FROM conversation_messages WHERE conversation_id = ${id}`);
    await tx.db.run(sql`DELETE FROM conversations WHERE id = ${id}`);
    await tellDeleted(tx, conversation);
  });
}

async function insertConversation(
  ctx: Ctx,
  { customerId, channel, subject }: { customerId: string; channel: string; subject: string },
): Promise<ConversationRecord> {
  const now = ctx.now();
  return (await ctx.db.row<ConversationRecord>(sql`
    INSERT INTO conversations AS c (id, customer_id, channel, subject, status, last_message_at, created_at, updated_at)
    VALUES (${ctx.newId()}, ${customerId}, ${channel}, ${subject}, 'open', ${now}, ${now}, ${now})
    RETURNING ${recordColumns}`)) as ConversationRecord;
}

/** The customer that is meant, locked until the transaction ends. What is wrong with it is told where it was given. */
async function findCustomer(ctx: Ctx, customer: CustomerInput): Promise<string> {
  const customers = await ctx.helpers('customers');
  if (!customers) throw fail('conversations.no_customers');
  try {
    return (await customers.findOrCreate(customer)).id;
  } catch (error) {
    const errors = error instanceof Failure ? error.extras.errors : undefined;
    if (!errors) throw error;
    const named = Object.entries(errors).map(([field, reasons]) => [
      `customer.${field.replace(/^customer\./, '')}`,
      reasons,
    ]);
    throw invalid(Object.fromEntries(named));
  }
}
