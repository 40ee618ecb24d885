import type { MessageHandler } from './pubsub.ts';

/** Who in this process hears which channel. */
export class Subscriptions {
  readonly #handler = new Map<string, Set<MessageHandler>>();

  has(channel: string): boolean {
    return this.#handler.has(channel);
  }

  /** The answer ends it. */
  add(channel: string, handler: MessageHandler): () => void {
    const all = this.#handler.get(channel) ?? new Set();
    // A wrapper, so that the same function may be added twice.
    const own: MessageHandler = (text) => handler(text);
    this.#handler.set(channel, all.add(own));
    return () => {
      all.delete(own);
      if (all.size === 0 && this.#handler.get(channel) === all) this.#handler.delete(channel);
    };
  }

  publish(channel: string, text: string): void {
    for (const handler of this.#handler.get(channel) ?? []) handler(text);
  }
}
