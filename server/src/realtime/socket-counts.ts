/** The open sockets of this process. */
export class SocketCounts {
  readonly #maxPerNetwork: number;
  readonly #byNetwork = new Map<string, number>();

  constructor(maxPerNetwork: number) {
    this.#maxPerNetwork = maxPerNetwork;
  }

  get total(): number {
    return this.#byNetwork.values().reduce((sum, count) => sum + count, 0);
  }

  /** Counts a socket until the returned function is called; `undefined` if the network has too many. */
  take(network: string): (() => void) | undefined {
    const count = this.#byNetwork.get(network) ?? 0;
    if (count >= this.#maxPerNetwork) return undefined;
    this.#byNetwork.set(network, count + 1);
    return () => {
      const others = (this.#byNetwork.get(network) ?? 1) - 1;
      if (others > 0) this.#byNetwork.set(network, others);
      else this.#byNetwork.delete(network);
    };
  }
}
