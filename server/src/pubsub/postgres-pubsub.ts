import { type Db, sql } from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Signals } from '../db/signals.ts';
import type { MessageHandler, PubSub } from './pubsub.ts';
import { Subscriptions } from './subscriptions.ts';

/** In base64 characters. PostgreSQL limits a notification to 8,000 bytes. */
const chunkLength = 7_000;
const signalChannel = 'chowk_messages';

/** PubSub over PostgreSQL's NOTIFY. A long message is sent in chunks, all in one statement. */
export class PostgresPubSub implements PubSub {
  readonly #db: Db;
  readonly #subscriptions = new Subscriptions();
  readonly #listening: Promise<void>;
  /** Chunks of incomplete messages, by message id. */
  readonly #chunks = new Map<string, string[]>();

  constructor(db: Db, signals: Signals) {
    this.#db = db;
    this.#listening = signals.listen(signalChannel, {
      onNotify: (payload) => this.#receive(payload),
      onConnectionChange: () => this.#chunks.clear(),
    });
  }

  async publish(channel: string, text: string): Promise<void> {
    const id = uuidv7();
    const data = Buffer.from(JSON.stringify([channel, text])).toString('base64');
    const count = Math.ceil(data.length / chunkLength);
    const chunks = Array.from({ length: count }, (_, index) => {
      // With the index, because PostgreSQL drops a notification that equals an earlier one of the transaction.
      return `${id} ${count} ${index} ${data.slice(index * chunkLength, (index + 1) * chunkLength)}`;
    });
    await this.#db.run(sql`SELECT pg_notify(${signalChannel}, chunk) FROM unnest(${chunks}::text[]) WITH ORDINALITY AS c (chunk, n)
      ORDER BY n`);
  }

  async subscribe(channel: string, handler: MessageHandler): Promise<() => void> {
    await this.#listening;
    return this.#subscriptions.add(channel, handler);
  }

  #receive(payload: string): void {
    const [id = '', count = '', , data = ''] = payload.split(' ');
    const chunks = [...(this.#chunks.get(id) ?? []), data];
    if (chunks.length < Number(count)) {
      this.#chunks.set(id, chunks);
      return;
    }
    this.#chunks.delete(id);
    const [channel, text] = JSON.parse(Buffer.from(chunks.join(''), 'base64').toString());
    this.#subscriptions.publish(channel, text);
  }
}
