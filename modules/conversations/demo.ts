import { type Demo, type DemoPlan, demoId, fillTable, pick, type Random } from '@chowk/kit';
import threads from './demo-threads.json' with { type: 'json' };
import type { Status } from './schemas.ts';

/** Customers whose conversations are written together. */
const batchSize = 20_000;
const day = 86_400_000;
/** The more often one stands here, the more often it is used. */
const channels = ['email', 'email', 'email', 'whatsapp', 'whatsapp', 'webchat', 'sms', 'phone', 'other'];

type Rows = Record<string, unknown>[];

/** One customer in eight has written, some of them more than once. */
export const demo: Demo = {
  async fill(ctx, plan) {
    const random = plan.random('conversations');
    for (let from = 0; from < plan.customers; from += batchSize) {
      const conversations: Rows = [];
      const messages: Rows = [];
      for (let n = from; n < Math.min(from + batchSize, plan.customers); n += 1) {
        for (let more = random() < 0.125; more; more = random() < 0.2) {
          conversations.push(makeConversation(plan, random, n, messages));
        }
      }
      await fillTable(ctx, 'conversations', conversations);
      await fillTable(ctx, 'conversation_messages', messages);
    }
  },
};

/** A conversation of the customer; its messages are added to the others. */
function makeConversation(plan: DemoPlan, random: Random, n: number, messages: Rows) {
  const joined = plan.joinedAt(n);
  const begun = Math.floor(joined + random() * (plan.today - joined));
  const id = demoId(begun, random);
  const thread = pick(random, threads);
  const written = thread.messages.slice(0, 1 + Math.floor(random() * thread.messages.length));
  let at = begun;
  for (const [index, { direction, body }] of written.entries()) {
    if (index > 0) at = Math.min(plan.today, at + 1_000 + Math.floor(random() ** 2 * day));
    messages.push({ id: demoId(at, random), conversation_id: id, direction, body, sent_at: new Date(at) });
  }
  const fromCustomer = written.at(-1)?.direction === 'inbound';
  const channel = pick(random, channels);
  const status = statusOf(plan.today - at, fromCustomer, random);
  const times = { last_message_at: new Date(at), created_at: new Date(begun), updated_at: new Date(at) };
  const message_count = written.length;
  return { id, customer_id: plan.customerId(n), channel, subject: thread.subject, status, message_count, ...times };
}

/** An old one is closed; else it is our turn or the customer's. */
function statusOf(age: number, fromCustomer: boolean, random: Random): Status {
  if (age > 21 * day || random() < 0.3) return 'closed';
  return fromCustomer ? 'open' : 'pending';
}
