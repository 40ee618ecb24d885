/** One kind of failure: the HTTP status it answers with and the sentence the caller reads. */
export interface ErrorKind {
  readonly status: number;
  /** `{name}` is replaced by `details.name`. */
  readonly message: string;
}

/** Field name (dots for nested fields) to what is wrong with it. */
export type FieldErrors = Record<string, string[]>;

export interface FailureExtras {
  readonly errors?: Readonly<FieldErrors>;
  /** Further members of the answer's body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong underneath; logged, never answered. */
  readonly cause?: unknown;
}

/** A failure the caller is told about. Anything else that is thrown is answered with 500 and logged. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly extras: FailureExtras;

  constructor(code: string, status: number, message: string, extras: FailureExtras = {}) {
    super(message, { cause: extras.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = status;
    this.extras = extras;
  }
}

/**
 * A registry of failures and the function that makes them:
 * `const fail = defineErrors({ 'customers.not_found': { status: 404, message: 'There is no customer {id}.' } })`,
 * then `throw fail('customers.not_found', { id })`.
 */
export function defineErrors<const Registry extends Record<string, ErrorKind>>(registry: Registry) {
  return (
    code: keyof Registry & string,
    details: Record<string, unknown> = {},
    extras: FailureExtras = {},
  ): Failure => {
    const kind = registry[code] as ErrorKind;
    const message = kind.message.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''));
    return new Failure(code, kind.status, message, extras);
  };
}

/** What every refused input is answered with, whoever refuses it. */
export const invalidInput = {
  'http.validation_failed': { status: 422, message: 'The given data was invalid.' },
} as const;
const refuse = defineErrors(invalidInput);

/** 422 with what is wrong, field by field; the first of it is the message, for who reads no further. */
export function invalid(errors: FieldErrors): Failure {
  const [first, ...more] = new Set(Object.values(errors).flat());
  if (first === undefined) return refuse('http.validation_failed', {}, { errors });
  const message = more.length === 0 ? first : `${first} (and ${more.length} more)`;
  return new Failure('http.validation_failed', invalidInput['http.validation_failed'].status, message, { errors });
}

/** What is answered wherever nothing is. */
export const nothingThere = {
  'http.not_found': { status: 404, message: 'There is nothing at {method} {path}.' },
} as const;
const missing = defineErrors(nothingThere);

/** 404 as for a path that no route has: for a route that is there in some environments only. */
export function notFound(method: string, path: string): Failure {
  return missing('http.not_found', { method, path });
}

/** What every caller without the right is answered with, whoever refuses it. */
export const forbiddenCall = {
  'auth.forbidden': { status: 403, message: 'This needs the permission {permission}.' },
} as const;
const forbid = defineErrors(forbiddenCall);

/** 403 for a right that depends on more than the route or the operation; `ctx.can` asks for it. */
export function forbidden(permission: string): Failure {
  return forbid('auth.forbidden', { permission });
}
