import type { Heard } from './messages.ts';

/** Who in this process hears which channel. */
export class Subscriptions {
  readonly #heard = new Map<string, Set<Heard>>();

  has(channel: string): boolean {
    return this.#heard.has(channel);
  }

  /** The answer ends it. */
  add(channel: string, heard: Heard): () => void {
    const all = this.#heard.get(channel) ?? new Set();
    // A wrapper, so that the same function may be added twice.
    const own: Heard = (text) => heard(text);
    this.#heard.set(channel, all.add(own));
    return () => {
      all.delete(own);
      if (all.size === 0 && this.#heard.get(channel) === all) this.#heard.delete(channel);
    };
  }

  tell(channel: string, text: string): void {
    for (const heard of this.#heard.get(channel) ?? []) heard(text);
  }
}
