import { type Connection, cursorAt } from '@chowk/kit/kernel';

interface Page {
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** A page of a list, with the fields that the Relay specification names. */
export class ConnectionPage implements Connection {
  readonly nodes: readonly unknown[];
  readonly #page: Page;
  readonly #ends: { readonly isBackward: boolean; readonly hasCursor: boolean };
  readonly #count: () => Promise<unknown>;

  constructor(page: object, ends: { isBackward: boolean; hasCursor: boolean }, count: () => Promise<unknown>) {
    this.#page = page as Page;
    this.nodes = Object.values(page).find(Array.isArray) as readonly unknown[];
    this.#ends = ends;
    this.#count = count;
  }

  get edges(): object[] {
    return this.nodes.map((node, index) => ({ node, cursor: cursorAt(this.#page, index) }));
  }

  get pageInfo(): object {
    const page = this.#page;
    const { has_more, next_cursor } = page.pagination;
    const { isBackward, hasCursor } = this.#ends;
    return {
      hasNextPage: isBackward ? hasCursor : has_more,
      hasPreviousPage: isBackward ? has_more : hasCursor,
      get startCursor() {
        return cursorAt(page, 0) ?? null;
      },
      get endCursor() {
        return cursorAt(page, -1) ?? (isBackward ? null : next_cursor);
      },
    };
  }

  async count(): Promise<number> {
    return ((await this.#count()) as { pagination: { total: number } }).pagination.total;
  }
}
