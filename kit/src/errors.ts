import { decimalsProblem } from './money.ts';

/** A kind of failure: its HTTP status and message. */
export interface ErrorKind {
  readonly status: number;
  /** `{name}` is replaced by `details.name`. */
  readonly message: string;
}

/** A problem with a field: a code for programs and a message for people. */
export interface FieldError {
  readonly code: FieldErrorCode;
  readonly message: string;
}

/** What is wrong with a field, by code. */
export const fieldErrorCodes = {
  required: 'The field is missing.',
  invalid: 'The value does not have the form that the message describes.',
  wrong_type: 'The value has another type, such as a text instead of a number.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters.',
  too_small: 'The number is too small, or the time too early.',
  too_large: 'The number is too large, or the time too late.',
  too_few: 'The list has too few items.',
  too_many: 'The list has too many items.',
  not_allowed: 'The value cannot be used here, or not with the other fields.',
  unknown: 'There is no such record, value or field.',
  taken: 'Another record has the value, which must be unique.',
  mismatch: 'The value does not match another one, such as the repeated password.',
} as const;
export type FieldErrorCode = keyof typeof fieldErrorCodes;

/** By field; nested fields use dots. */
export type FieldErrors = Record<string, FieldError[]>;

export interface FailureExtras {
  readonly errors?: Readonly<FieldErrors>;
  /** Additional fields of the response body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Logged, never part of the response. */
  readonly cause?: unknown;
}

/** A failure that is reported to the caller. Other errors are logged and reported as 500. */
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

/** How a failure is reported to the caller: its message and code and, by field, messages and codes. */
export function failureBody({ message, code, extras: { errors, body } }: Failure): Record<string, unknown> {
  return { message, code, ...(errors ? fieldErrorsBody(errors) : {}), ...body };
}

function fieldErrorsBody(errors: Readonly<FieldErrors>) {
  const byField = (name: 'message' | 'code') =>
    Object.fromEntries(Object.entries(errors).map(([field, list]) => [field, list.map((error) => error[name])]));
  return { errors: byField('message'), error_codes: byField('code') };
}

/**
 * Declares failures and returns the function that creates them:
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

/** The failures that both the kernel and modules throw. */
export const commonErrors = {
  'http.validation_failed': { status: 422, message: 'The given data was invalid.' },
  'http.not_found': { status: 404, message: 'There is no route {method} {path}.' },
  'auth.forbidden': { status: 403, message: 'This needs the permission {permission}.' },
  'http.precondition_failed': {
    status: 412,
    message: 'The record has changed since you read it. Read it again, then repeat the change.',
  },
} as const;
const fail = defineErrors(commonErrors);

/** Collects problems of an input, so that one response reports all of them. */
export class Issues {
  /** No prototype: a field may be called `constructor`. */
  readonly errors: FieldErrors = Object.create(null);

  add(field: string, message: string, code: FieldErrorCode = 'invalid'): void {
    const known = this.errors[field] ?? [];
    this.errors[field] = known;
    if (!known.some((error) => error.message === message)) known.push({ code, message });
  }

  /** An amount must not have more decimals than its currency. */
  checkDecimals(field: string, amount: string | null | undefined, currency: string): void {
    const problem = amount == null ? undefined : decimalsProblem(amount, currency);
    if (problem !== undefined) this.add(field, problem);
  }

  addAll(errors: Readonly<FieldErrors> | undefined): void {
    for (const [field, list] of Object.entries(errors ?? {})) {
      for (const { message, code } of list) this.add(field, message, code);
    }
  }

  has(field: string): boolean {
    return this.errors[field] !== undefined;
  }

  get any(): boolean {
    return Object.keys(this.errors).length > 0;
  }

  /** 422 with all problems. */
  get failure(): Failure {
    return invalidFields(this.errors);
  }

  throwIfAny(): void {
    if (this.any) throw this.failure;
  }
}

/** Runs `read`, which adds problems to the issues, and throws 422 if there are any. */
export async function readValid<Value>(read: (issues: Issues) => Value | Promise<Value>): Promise<Value> {
  const issues = new Issues();
  const value = await read(issues);
  issues.throwIfAny();
  return value;
}

type Problem = string | FieldError;

/** 422 with problems by field: `throw invalid({ sku: taken('The SKU A-1 is taken.') })`. */
export function invalid(problems: Readonly<Record<string, Problem | readonly Problem[]>>): Failure {
  const issues = new Issues();
  for (const [field, list] of Object.entries(problems)) {
    for (const problem of [list].flat() as Problem[]) {
      if (typeof problem === 'string') issues.add(field, problem);
      else issues.add(field, problem.message, problem.code);
    }
  }
  return invalidFields(issues.errors);
}

/** The first problem is the message. */
function invalidFields(errors: FieldErrors): Failure {
  const [first, ...more] = new Set(
    Object.values(errors)
      .flat()
      .map(({ message }) => message),
  );
  if (first === undefined) return fail('http.validation_failed', {}, { errors });
  const message = more.length === 0 ? first : `${first} (and ${more.length} more)`;
  return new Failure('http.validation_failed', commonErrors['http.validation_failed'].status, message, { errors });
}

export function taken(message: string): FieldError {
  return { code: 'taken', message };
}

/** 404 as for an unknown path. */
export function notFound(method: string, path: string): Failure {
  return fail('http.not_found', { method, path });
}

/** 403 for a permission that `run` checks with `ctx.can`. */
export function forbidden(permission: string): Failure {
  return fail('auth.forbidden', { permission });
}

/** 412 for `If-Match`. */
export function preconditionFailed(): Failure {
  return fail('http.precondition_failed');
}
