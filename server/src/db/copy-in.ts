import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Watchdog } from './watchdog.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** What of `pg` has no types: a query as its client sees it. */
interface Query {
  submit(connection: pg.Connection): Error | null;
  handleCopyInResponse(connection: pg.Connection): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: undefined, done: Done) => Query;

/**
 * A COPY … FROM STDIN, fed as fast as PostgreSQL takes it. It is a query of `pg`'s own kind, because a client that
 * pipelines refuses others, such as those of `pg-copy-streams`. Until it is done nothing else may be sent.
 */
export class CopyIn extends PgQuery {
  readonly #pieces: AsyncIterable<string>;
  readonly #watchdog: Watchdog;
  /** Whether PostgreSQL has something to do; else the pieces are waited for, which is no fault of it. */
  #waiting = false;
  #over = false;
  #wake = () => {};
  #failure: { readonly reason: unknown } | undefined;

  constructor(text: string, pieces: AsyncIterable<string>, patience: Watchdog, done: Done) {
    super(text, undefined, (error, result) => {
      this.#over = true;
      this.#wake();
      this.#go();
      done(error, result);
    });
    this.#pieces = pieces;
    this.#watchdog = patience;
  }

  /** Why the pieces have ended too early, if they have. */
  get failure(): { readonly reason: unknown } | undefined {
    return this.#failure;
  }

  override submit(connection: pg.Connection): Error | null {
    this.#wait();
    return super.submit(connection);
  }

  override handleCopyInResponse({ stream }: pg.Connection): void {
    this.#go();
    this.#feed(stream).then(
      () => this.#end(stream, serialize.copyDone()),
      (reason: unknown) => {
        if (!this.#over) this.#failure = { reason };
        this.#end(stream, serialize.copyFail('the rows ended too early'));
      },
    );
  }

  async #feed(stream: pg.Connection['stream']): Promise<void> {
    for await (const piece of this.#pieces) {
      if (this.#over) return;
      if (!stream.write(serialize.copyData(Buffer.from(piece)))) await this.#room(stream);
    }
  }

  #end(stream: pg.Connection['stream'], message: Buffer): void {
    // Refused or lost meanwhile: the wire is somebody else's by now.
    if (this.#over) return;
    this.#wait();
    stream.write(message);
  }

  async #room(stream: pg.Connection['stream']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    stream.once('drain', resolve);
    this.#wait();
    await promise;
    this.#go();
    stream.off('drain', resolve);
  }

  #wait(): void {
    if (this.#waiting || this.#over) return;
    this.#waiting = true;
    this.#watchdog.asked();
  }

  #go(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#watchdog.answered();
  }
}
