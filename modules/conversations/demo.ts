import { batches, type Demo, type DemoPlan, demoId, fillTables, pick, pickByShare, type Random, sql } from '@chowk/kit';
import type { DemoShares } from '@chowk/kit/catalogue';
import threads from './demo-threads.json' with { type: 'json' };
import type { Status } from './schemas.ts';

const day = 86_400_000;
const channelShares = { email: 3, whatsapp: 2, webchat: 1, sms: 1, phone: 1, other: 1 };

/** One customer in eight has a conversation, some of them several. */
export const demo: Demo = {
  isEmpty: async (ctx) => (await ctx.db.row(sql`SELECT FROM conversations LIMIT 1`)) === undefined,
  async fill(ctx, plan) {
    const customers = plan.shared('customers');
    if (!customers) return;
    const random = plan.random('conversations');
    for (const batch of batches(customers.count)) {
      const generated = batch.flatMap((customer) => {
        const conversations = [];
        for (let hasMore = random() < 0.125; hasMore; hasMore = random() < 0.2) {
          conversations.push(generateConversation(plan, customers, customer, random));
        }
        return conversations;
      });
      await fillTables(ctx, {
        conversations: generated.map(({ conversation }) => conversation),
        conversation_messages: generated.flatMap(({ messages }) => messages),
      });
    }
  },
};

function generateConversation(
  { today }: DemoPlan,
  customers: DemoShares['customers'],
  customer: number,
  random: Random,
) {
  const joinedAt = customers.joinedAt(customer);
  const startedAt = Math.floor(joinedAt + random() * (today - joinedAt));
  const id = demoId(startedAt, random);
  const thread = pick(random, threads);
  const texts = thread.messages.slice(0, 1 + Math.floor(random() * thread.messages.length));
  let time = startedAt;
  const messages = texts.map(({ direction, body }, index) => {
    if (index > 0) time = Math.min(today, time + 1_000 + Math.floor(random() ** 2 * day));
    return { id: demoId(time, random), conversation_id: id, direction, body, sent_at: new Date(time) };
  });
  const isInbound = messages.at(-1)?.direction === 'inbound';
  const status = statusAt(today - time, isInbound, random);
  const channel = pickByShare(random, channelShares);
  const keys = { id, customer_id: customers.getId(customer), channel, subject: thread.subject, status };
  const inbound = messages.find(({ direction }) => direction === 'inbound');
  const answer =
    inbound && messages.find(({ direction, sent_at }) => direction === 'outbound' && sent_at >= inbound.sent_at);
  const figures = {
    first_inbound_at: inbound?.sent_at,
    first_answer_at: answer?.sent_at,
    closed_at: status === 'closed' ? new Date(time) : undefined,
  };
  const times = { last_message_at: new Date(time), created_at: new Date(startedAt), updated_at: new Date(time) };
  return { messages, conversation: { ...keys, message_count: messages.length, ...times, ...figures } };
}

/** Old conversations are closed; the others wait for the team or for the customer. */
function statusAt(age: number, isInbound: boolean, random: Random): Status {
  if (age > 21 * day || random() < 0.3) return 'closed';
  return isInbound ? 'open' : 'pending';
}
