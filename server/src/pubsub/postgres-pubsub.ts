import { type Db, sql } from '@chowk/kit/kernel';
import type { Signals } from '../db/signals.ts';
import { newId } from '../ids.ts';
import type { MessageHandler, PubSub } from './pubsub.ts';
import { Subscriptions } from './subscriptions.ts';

/** In base64 characters. PostgreSQL limits a notification to 8,000 bytes. */
const chunkLength = 7_000;
const signalChannel = 'chowk_messages';

/** PubSub over PostgreSQL's NOTIFY. A long message is sent in chunks. */
export class PostgresPubSub implements PubSub {
  readonly #db: Db;
  readonly #subscriptions = new Subscriptions();
  readonly #listening: Promise<void>;
  /** Chunks of incomplete messages, by message id. */
  readonly #chunks = new Map<string, string[]>();
  #running: Promise<void> = Promise.resolve();
  /** Waits for the running statement. */
  #next: { readonly chunks: string[]; readonly sent: Promise<void> } | undefined;

  constructor(db: Db, signals: Signals) {
    this.#db = db;
    this.#listening = signals.listen(signalChannel, {
      onNotify: (payload) => this.#receive(payload),
      onConnectionChange: () => this.#chunks.clear(),
    });
  }

  /** Messages that are published while a statement runs are sent together in the next one, in their order. */
  publish(channel: string, text: string): Promise<void> {
    const chunks = splitMessage(JSON.stringify([channel, text]));
    if (this.#next) {
      this.#next.chunks.push(...chunks);
      return this.#next.sent;
    }
    const sent = this.#running.then(() => {
      this.#next = undefined;
      return this.#notify(chunks);
    });
    this.#next = { chunks, sent };
    this.#running = sent.catch(() => {});
    return sent;
  }

  async subscribe(channel: string, handler: MessageHandler): Promise<() => void> {
    await this.#listening;
    return this.#subscriptions.add(channel, handler);
  }

  /** Without waiting for the disk, which a NOTIFY does otherwise: messages do not outlive a crash anyway. */
  async #notify(chunks: readonly string[]): Promise<void> {
    await this.#db.run(sql`
      SELECT set_config('synchronous_commit', 'off', true), pg_notify(${signalChannel}, chunk)
      FROM unnest(${chunks}::text[]) WITH ORDINALITY AS c (chunk, n) ORDER BY n`);
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

function splitMessage(message: string): string[] {
  const id = newId();
  const data = Buffer.from(message).toString('base64');
  const count = Math.ceil(data.length / chunkLength);
  return Array.from({ length: count }, (_, index) => {
    // With the index, because PostgreSQL drops a notification that equals an earlier one of the transaction.
    return `${id} ${count} ${index} ${data.slice(index * chunkLength, (index + 1) * chunkLength)}`;
  });
}
