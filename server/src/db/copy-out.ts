import pg from 'pg';
import type { Watchdog } from './watchdog.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** The part of `pg.Query` that has no published types. */
interface Query {
  submit(connection: pg.Connection): Error | null;
  handleCopyData(message: { readonly chunk: Buffer }, connection: pg.Connection): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: undefined, done: Done) => Query;

/** In bytes. PostgreSQL waits while this much is unread. */
const maxUnread = 1_048_576;

/** A COPY … TO STDOUT, read in blocks, with backpressure. Nothing else may be sent until all of it is read. */
export class CopyOut extends PgQuery {
  readonly #watchdog: Watchdog;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #outcome: { readonly error: Error | undefined } | undefined;
  #stream: pg.Connection['stream'] | undefined;
  #wake = () => {};

  constructor(text: string, watchdog: Watchdog, onError: (error: Error) => void) {
    super(text, undefined, (error) => {
      this.#watchdog.responseReceived();
      if (error) onError(error);
      this.#outcome = { error };
      this.#wake();
    });
    this.#watchdog = watchdog;
  }

  override submit(connection: pg.Connection): Error | null {
    this.#stream = connection.stream;
    this.#watchdog.requestSent();
    return super.submit(connection);
  }

  override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // A copy: the parser uses its buffer again.
    this.#unread.push(Buffer.from(chunk));
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= maxUnread) this.#stream?.pause();
    this.#wake();
  }

  async *blocks(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#unreadBytes > 0) yield this.#take();
      else if (this.#outcome?.error) throw this.#outcome.error;
      else if (this.#outcome) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }

  #take(): Buffer {
    const block = Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#stream?.resume();
    return block;
  }
}
