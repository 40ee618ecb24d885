import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { responseHeaders } from './forwarded-headers.ts';

/** Nothing has been sent to the client yet. */
export class NotForwarded extends Error {
  override readonly name = 'NotForwarded';
  /** Whether the ring may have received the request. */
  readonly isSent: boolean;

  constructor(cause: Error, isSent: boolean) {
    super(cause.message, { cause });
    this.isSent = isSent;
  }
}

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: string[];
}

/** Streams the request to the ring and its response to the client. Rejects with `NotForwarded` if there is no response. */
export function forwardRequest(pool: Dispatcher, { request, response, headers }: Forwarding): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      {
        path: request.url ?? '/',
        method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
        headers,
        // A response may come before the whole body has been read, whose stream must not be destroyed then.
        body: hasBody(request) ? (request.iterator({ destroyOnReturn: false }) as never) : null,
      },
      new ResponseStream(response, resolve, reject),
    );
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Writes the response of a ring to the client, at the pace of the client. */
class ResponseStream implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #onEnd: () => void;
  readonly #onFailure: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isDone = false;

  constructor(response: ServerResponse, onEnd: () => void, onFailure: (error: Error) => void) {
    this.#response = response;
    this.#onEnd = onEnd;
    this.#onFailure = onFailure;
    response.once('close', () => this.#abort());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#response.destroyed) this.#abort();
    this.#response.on('drain', () => controller.resume());
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // An interim response, such as 100 Continue.
    if (status < 200) return;
    const headers = responseHeaders(controller.rawHeaders as Buffer[]);
    this.#response.writeHead(status, headers);
    const hasLength = headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === 'content-length');
    // The first part of a stream may take long.
    if (!hasLength) setImmediate(() => this.#isDone || this.#response.flushHeaders());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#isDone = true;
    this.#response.end();
    this.#onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#isDone = true;
    if (!this.#response.headersSent) {
      this.#onFailure(new NotForwarded(error, this.#controller !== undefined));
      return;
    }
    // The client sees that the response is not complete.
    this.#response.destroy();
    this.#onEnd();
  }

  #abort(): void {
    if (!this.#isDone) this.#controller?.abort(new Error('the client has closed the connection'));
  }
}
