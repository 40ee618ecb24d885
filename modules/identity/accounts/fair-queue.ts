interface Waiter {
  resolve(): void;
  reject(reason: Error): void;
}

/** A queue in which groups take turns. When it is full, the longest group gives up its last place. */
export class FairQueue {
  readonly #max: number;
  readonly #refusal: () => Error;
  /** In the order of their turns. */
  readonly #groups = new Map<string, Waiter[]>();
  #length = 0;

  constructor(max: number, refusal: () => Error) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** Resolves when it is the caller's turn; rejects if there is no place. */
  wait(group: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiters = this.#groups.get(group) ?? [];
      this.#groups.set(group, waiters);
      waiters.push({ resolve, reject });
      this.#length += 1;
      if (this.#length > this.#max) this.#refuseOne(group);
    });
  }

  /** Resolves the next waiter. Returns whether there was one. */
  resolveNext(): boolean {
    const [next] = this.#groups;
    if (!next) return false;
    const [group, waiters] = next;
    // The group goes to the end.
    this.#groups.delete(group);
    const first = waiters.shift();
    if (waiters.length > 0) this.#groups.set(group, waiters);
    this.#length -= 1;
    first?.resolve();
    return true;
  }

  /** The longest group loses its newest member; if several are the longest, the newcomer's. */
  #refuseOne(newcomer: string): void {
    const countWaiting = (group: string) => this.#groups.get(group)?.length ?? 0;
    let longest = newcomer;
    for (const group of this.#groups.keys()) if (countWaiting(group) > countWaiting(longest)) longest = group;
    const rejected = this.#groups.get(longest)?.pop();
    if (countWaiting(longest) === 0) this.#groups.delete(longest);
    this.#length -= 1;
    rejected?.reject(this.#refusal());
  }
}
