import { type Connection, cursorsOf } from '@chowk/kit';

interface Page {
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** A page of a list, with the fields that the Relay specification names. */
export class ConnectionPage implements Connection {
  readonly nodes: readonly unknown[];
  readonly #page: Page;
  readonly #hasPrevious: boolean;
  readonly #count: () => Promise<unknown>;

  constructor(page: object, hasPrevious: boolean, count: () => Promise<unknown>) {
    this.#page = page as Page;
    this.nodes = Object.values(page).find(Array.isArray) as readonly unknown[];
    this.#hasPrevious = hasPrevious;
    this.#count = count;
  }

  get edges(): object[] {
    const cursors = cursorsOf(this.#page);
    return this.nodes.map((node, index) => ({ node, cursor: cursors[index] }));
  }

  get pageInfo(): object {
    const cursors = cursorsOf(this.#page);
    return {
      hasNextPage: this.#page.pagination.has_more,
      hasPreviousPage: this.#hasPrevious,
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null,
    };
  }

  async count(): Promise<number> {
    return ((await this.#count()) as { pagination: { total: number } }).pagination.total;
  }
}
