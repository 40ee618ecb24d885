import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Watchdog } from './watchdog.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** The part of `pg.Query` that has no published types. */
interface Query {
  submit(connection: pg.Connection): Error | null;
  handleCopyInResponse(connection: pg.Connection): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: undefined, done: Done) => Query;

/**
 * A COPY … FROM STDIN with backpressure. It extends `pg.Query` because a client in pipeline mode refuses the queries of
 * `pg-copy-streams`. Nothing else may be sent until it is done.
 */
export class CopyIn extends PgQuery {
  readonly #chunks: AsyncIterable<string | Uint8Array>;
  readonly #watchdog: Watchdog;
  /** Whether PostgreSQL has data to process. The time that the source of the rows takes does not count. */
  #isAwaitingServer = false;
  #isDone = false;
  #wake = () => {};
  #failure: { readonly reason: unknown } | undefined;

  constructor(text: string, chunks: AsyncIterable<string | Uint8Array>, watchdog: Watchdog, done: Done) {
    super(text, undefined, (error, result) => {
      this.#isDone = true;
      this.#wake();
      this.#serverResponded();
      done(error, result);
    });
    this.#chunks = chunks;
    this.#watchdog = watchdog;
  }

  /** The error of the source of the rows. */
  get failure(): { readonly reason: unknown } | undefined {
    return this.#failure;
  }

  override submit(connection: pg.Connection): Error | null {
    this.#awaitServer();
    return super.submit(connection);
  }

  override handleCopyInResponse({ stream }: pg.Connection): void {
    this.#serverResponded();
    this.#sendChunks(stream).then(
      () => this.#finish(stream, serialize.copyDone()),
      (reason: unknown) => {
        if (!this.#isDone) this.#failure = { reason };
        this.#finish(stream, serialize.copyFail('the source of the rows failed'));
      },
    );
  }

  async #sendChunks(stream: pg.Connection['stream']): Promise<void> {
    for await (const chunk of this.#chunks) {
      if (this.#isDone) return;
      const bytes =
        typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      if (!stream.write(serialize.copyData(bytes))) await this.#drain(stream);
    }
  }

  #finish(stream: pg.Connection['stream'], message: Buffer): void {
    // After a failure the connection may already be used for another query.
    if (this.#isDone) return;
    this.#awaitServer();
    stream.write(message);
  }

  async #drain(stream: pg.Connection['stream']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    stream.once('drain', resolve);
    this.#awaitServer();
    await promise;
    this.#serverResponded();
    stream.off('drain', resolve);
  }

  #awaitServer(): void {
    if (this.#isAwaitingServer || this.#isDone) return;
    this.#isAwaitingServer = true;
    this.#watchdog.requestSent();
  }

  #serverResponded(): void {
    if (!this.#isAwaitingServer) return;
    this.#isAwaitingServer = false;
    this.#watchdog.responseReceived();
  }
}
