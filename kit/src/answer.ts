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
}
