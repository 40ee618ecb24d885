import { Readable } from 'node:stream';
import type { Ctx } from './context.ts';
import { type Download, fileText, fileTypes } from './download.ts';

interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly isRefusal?: boolean;
}

/** An HTTP response with its own body, status and headers, such as a file or a page. */
export class Answer {
  readonly body: unknown;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The action changed nothing, whatever the status, so the idempotency key can be used again. */
  readonly isRefusal: boolean;

  constructor(body: unknown, { status, headers = {}, isRefusal = false }: AnswerOptions = {}) {
    this.body = body;
    this.isRefusal = isRefusal;
    this.status = status;
    this.headers = headers;
  }

  /** A CSV or JSON file that streams the rows. */
  static download<Row extends object>(ctx: Pick<Ctx, 'now'>, file: Download<Row>): Answer {
    const { name, format } = file;
    const fileName = `${name}-${ctx.now().toISOString().slice(0, 10)}.${format}`;
    return new Answer(Readable.from(fileText(file)), {
      headers: { 'content-type': fileTypes[format], 'content-disposition': `attachment; filename="${fileName}"` },
    });
  }

  /** The media types of a download. */
  static readonly fileTypes: readonly string[] = Object.values(fileTypes);
}
