export interface CallOptions {
  /** Aborts the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time for the whole call, with all attempts but without the waits that the server asks for; for a download, until it
   * begins. Default: 30 seconds, none for uploads.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Runs a POST once, however often it is sent, and so allows to repeat it after a failure of the network. `true` generates
   * a key for the call. Only for signed-in callers.
   */
  readonly idempotencyKey?: string | true | undefined;
  /** How often to repeat a GET, or a POST with a key, after a failure that may pass. Default: 2. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After`, in seconds, that is waited out before a repetition. Default: 30. */
  readonly maxRetryWait?: number | undefined;
  /** Further headers, such as `If-Match`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Is called with the response of a successful call, for its headers. */
  readonly onResponse?: ((response: Response) => void) | undefined;
  /** Sends the request; for instance one that reports the progress of an upload. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** One action. The input is one flat object, the output the body of the response. */
export type Call<Input, Output> = object extends Input
  ? (input?: Input, options?: CallOptions) => Promise<Output>
  : (input: Input, options?: CallOptions) => Promise<Output>;

/** A list: by `page` and `per_page` or, with `limit`, by `cursor`. */
export type ListCall<Input, Page extends { readonly pagination: object }, Item> = Call<
  ByCursor<Input>,
  WithPagination<Page, Extract<Page['pagination'], HasCursor>>
> &
  Call<ByPage<Input>, WithPagination<Page, Exclude<Page['pagination'], HasCursor>>> & {
    /** Every record of the list, in pages of 100 that are requested as needed. */
    readonly all: object extends Input
      ? (input?: Everything<Input>, options?: CallOptions) => AsyncGenerator<Item, void, undefined>
      : (input: Everything<Input>, options?: CallOptions) => AsyncGenerator<Item, void, undefined>;
  };

type ByPage<Input> = Omit<Input, 'cursor' | 'limit'>;
type ByCursor<Input> = Omit<Input, 'page' | 'per_page' | 'limit'> & { readonly limit: number };
type Everything<Input> = Omit<Input, 'page' | 'per_page' | 'cursor' | 'limit'>;
type HasCursor = { readonly next_cursor: unknown };
type WithPagination<Page, Pagination> = Omit<Page, 'pagination'> & { readonly pagination: Pagination };
