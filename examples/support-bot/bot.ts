import { readFile, rename, writeFile } from 'node:fs/promises';
import { ChowkError, createClient, type EventData } from '@chowk/client';

/* Answers customers who ask where their order is. Everything else is left to the team. */

const {
  CHOWK_URL: url,
  CHOWK_TENANT: tenant,
  CHOWK_CLIENT_ID: id = '',
  CHOWK_CLIENT_SECRET: secret = '',
  CURSOR_FILE: file = 'cursor',
} = process.env;
const chowk = createClient({ url, tenant, apiClient: { id, secret }, maxRetryWait: 60 });

let cursor: string | undefined = await readFile(file, 'utf8').catch(() => undefined);
console.log('ready');
for (;;) {
  // Answered as soon as a customer writes, at the latest after 25 seconds.
  const { events, pagination } = await chowk.events.list({ cursor, type: ['conversation.message_created'], wait: 25 });
  for (const { data } of events) await answer(data as EventData['conversation.message_created']);
  cursor = pagination.next_cursor;
  await writeFile(`${file}.new`, cursor);
  await rename(`${file}.new`, file);
}

async function answer({ conversation, message }: EventData['conversation.message_created']): Promise<void> {
  const [number] = /\b\d{4,}\b/.exec(message.body) ?? [];
  if (message.direction !== 'inbound' || number === undefined) return;
  const body = await describeOrder(conversation.customer_id, number);
  if (body === undefined) return;
  try {
    // The key prevents a second answer after a crash, `last_message_id` one beside that of a colleague.
    await chowk.conversations.reply(
      { id: conversation.id, body, last_message_id: message.id },
      { idempotencyKey: `answer-${message.id}` },
    );
    console.log(`answered ${message.id}`);
  } catch (error) {
    if (!(error instanceof ChowkError) || ![404, 409].includes(error.status)) throw error;
  }
}

/** Only of the customer who asks: everyone could guess the number of an order. */
async function describeOrder(customer_id: string, order_number: string): Promise<string | undefined> {
  const { orders } = await chowk.orders.list({ customer_id, limit: 100 });
  const order = orders.find((one) => one.order_number === order_number);
  if (!order) return undefined;
  return `Your order ${order_number} is ${order.status.replaceAll('_', ' ')}. A colleague will help you with all else.`;
}
