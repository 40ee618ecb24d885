import { type Db, sql } from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Signals } from '../db/signals.ts';
import type { MessageHandler, PubSub } from './pubsub.ts';
import { Subscriptions } from './subscriptions.ts';

/** PostgreSQL takes 8,000 bytes in one go; in base64 these are 6,000. */
const partLength = 7_000;
const signal = 'chowk_messages';

/** PubSub over PostgreSQL's NOTIFY. A long one travels in parts, all in one statement. */
export class PostgresPubSub implements PubSub {
  readonly #db: Db;
  readonly #subscriptions = new Subscriptions();
  readonly #listening: Promise<void>;
  /** Parts of messages that are not whole yet, by message. */
  readonly #parts = new Map<string, string[]>();

  constructor(db: Db, signals: Signals) {
    this.#db = db;
    this.#listening = signals.listen(signal, {
      onNotify: (payload) => this.#take(payload),
      onConnectionChange: () => this.#parts.clear(),
    });
  }

  async publish(channel: string, text: string): Promise<void> {
    const id = uuidv7();
    const data = Buffer.from(JSON.stringify([channel, text])).toString('base64');
    const count = Math.ceil(data.length / partLength);
    const parts = Array.from({ length: count }, (_, index) => {
      return `${id} ${count} ${data.slice(index * partLength, (index + 1) * partLength)}`;
    });
    await this.#db.run(sql`SELECT pg_notify(${signal}, part) FROM unnest(${parts}::text[]) WITH ORDINALITY AS p (part, n)
      ORDER BY n`);
  }

  async subscribe(channel: string, handler: MessageHandler): Promise<() => void> {
    await this.#listening;
    return this.#subscriptions.add(channel, handler);
  }

  #take(payload: string): void {
    const [id = '', count = '', data = ''] = payload.split(' ');
    const parts = [...(this.#parts.get(id) ?? []), data];
    if (parts.length < Number(count)) {
      this.#parts.set(id, parts);
      return;
    }
    this.#parts.delete(id);
    const [channel, text] = JSON.parse(Buffer.from(parts.join(''), 'base64').toString());
    this.#subscriptions.publish(channel, text);
  }
}
