import type { ErrorCode } from './api.ts';

export interface FieldError {
  /** Such as `required`, `too_long` or `taken`. */
  readonly code: string;
  /** A sentence for people. */
  readonly message: string;
}

type Fields = Readonly<Record<string, readonly string[]>>;

/** The platform refused the request or failed. The message is a sentence for people. */
export class ChowkError extends Error {
  override readonly name = 'ChowkError';
  readonly status: number;
  /** `undefined` if the response is not one of the platform, but of a proxy in front of it. */
  readonly code: ErrorCode | undefined;
  /** What is wrong with the input, by field; nested fields use dots. Empty for other failures. */
  readonly fields: Readonly<Record<string, readonly FieldError[]>>;
  /** Identifies the request in logs and for support. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /** The whole body, for failures with additional fields. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor({ status, headers }: Response, body: Readonly<Record<string, unknown>>) {
    const { message, code, errors, error_codes: codes } = body as Partial<ErrorBody>;
    super(message ?? `The server responded with status ${status}.`);
    this.status = status;
    this.code = code;
    this.fields = Object.fromEntries(
      Object.entries(errors ?? {}).map(([field, messages]) => [
        field,
        messages.map((message, index) => ({ code: codes?.[field]?.[index] ?? 'invalid', message })),
      ]),
    );
    this.requestId = headers.get('x-request-id') ?? undefined;
    const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
    this.retryAfter = Number.isNaN(seconds) ? undefined : seconds;
    this.body = body;
  }
}

/** The error body of the platform. A proxy may send another one. */
interface ErrorBody {
  readonly message: string;
  readonly code: ErrorCode;
  readonly errors: Fields | null;
  readonly error_codes: Fields | null;
}

/** There is no complete response of the platform: the device is offline, or the connection was refused or lost. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** The time of the call (`timeoutMs`) is over. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
