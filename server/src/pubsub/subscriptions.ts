import type { MessageHandler } from './pubsub.ts';

/** The subscriptions of this process. */
export class Subscriptions {
  readonly #handlers = new Map<string, Set<MessageHandler>>();

  has(channel: string): boolean {
    return this.#handlers.has(channel);
  }

  /** Returns the function that ends the subscription. */
  add(channel: string, handler: MessageHandler): () => void {
    const channelHandlers = this.#handlers.get(channel) ?? new Set();
    // A wrapper, so that the same function can be added twice.
    const entry: MessageHandler = (text) => handler(text);
    this.#handlers.set(channel, channelHandlers.add(entry));
    return () => {
      channelHandlers.delete(entry);
      if (channelHandlers.size === 0 && this.#handlers.get(channel) === channelHandlers) this.#handlers.delete(channel);
    };
  }

  publish(channel: string, text: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(text);
  }
}
