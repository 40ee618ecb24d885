import pg from 'pg';
import type { Watchdog } from './watchdog.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** The part of `pg.Query` that has no published types. */
interface Query {
  submit(connection: pg.Connection): Error | null;
  handleCopyData(message: { chunk: Buffer }, connection: pg.Connection): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: undefined, done: Done) => Query;

/** The socket is paused while more than this is unread. */
const maxBuffered = 2 ** 20;

/** A COPY … TO STDOUT with backpressure, read as an iterable of chunks. Nothing else may be sent until it is done. */
export class CopyOut extends PgQuery implements AsyncIterable<string> {
  #chunks: Buffer[] = [];
  #size = 0;
  #stream: pg.Connection['stream'] | undefined;
  #wake = () => {};
  #isDone = false;
  #error: Error | undefined;

  constructor(text: string, watchdog: Watchdog, onError: (error: Error) => void) {
    super(text, undefined, (error) => {
      watchdog.responseReceived();
      if (error) onError(error);
      this.#error = error;
      this.#isDone = true;
      this.#wake();
    });
  }

  override handleCopyData({ chunk }: { chunk: Buffer }, { stream }: pg.Connection): void {
    // The parser reuses its buffer.
    this.#chunks.push(Buffer.from(chunk));
    this.#size += chunk.length;
    this.#stream = stream;
    if (this.#size > maxBuffered) stream.pause();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    while (!this.#isDone || this.#chunks.length > 0) {
      if (this.#chunks.length === 0) await this.#nextChunk();
      const chunk = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#size = 0;
      this.#stream?.resume();
      // Each message is a whole line, so no character is cut in two.
      if (chunk.length > 0) yield chunk.toString();
    }
    if (this.#error) throw this.#error;
  }

  #nextChunk(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
