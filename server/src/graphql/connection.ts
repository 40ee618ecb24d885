import { type Connection, cursorAt } from '@chowk/kit/kernel';

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
    return this.nodes.map((node, index) => ({ node, cursor: cursorAt(this.#page, index) }));
  }

  get pageInfo(): object {
    const page = this.#page;
    return {
      hasNextPage: page.pagination.has_more,
      hasPreviousPage: this.#hasPrevious,
      get startCursor() {
        return cursorAt(page, 0) ?? null;
      },
      get endCursor() {
        return cursorAt(page, -1) ?? null;
      },
    };
  }

  async count(): Promise<number> {
    return ((await this.#count()) as { pagination: { total: number } }).pagination.total;
  }
}
