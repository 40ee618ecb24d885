import { type Action, Failure, type FieldErrors, type Log } from '@chowk/kit';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { databaseFailure } from '../db/failures.ts';
import { fail } from '../errors.ts';

/** Turns whatever was thrown into an answer. What is not a failure of ours is logged and told as 500. */
export function answerFailure(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = asFailure(error, request);
  if (failure.status >= 500) {
    const cause = failure.extras.cause ?? error;
    // The route and not the address: a link that was mailed has its secret in it.
    const route = request.routeOptions.url;
    log.error({ err: cause, request_id: request.id, method: request.method, route }, failure.message);
  }
  const { errors, body, headers } = failure.extras;
  reply
    .status(failure.status)
    .headers({ ...(failure.status === 503 ? { 'Retry-After': '1' } : {}), ...headers })
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        message: failure.message,
        code: failure.code,
        ...(errors ? describe(errors) : {}),
        ...(failure.status >= 500 ? { request_id: request.id } : {}),
        ...body,
      }),
    );
}

/** By field, the sentences and the codes. */
function describe(errors: Readonly<FieldErrors>) {
  const each = (name: 'message' | 'code') =>
    Object.fromEntries(Object.entries(errors).map(([field, list]) => [field, list.map((one) => one[name])]));
  return { errors: each('message'), error_codes: each('code') };
}

function asFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error;
  return frameworkFailure(error, request) ?? databaseFailure(error) ?? fail('http.internal', {}, { cause: error });
}

/** What Fastify refuses before a request reaches the pipeline. */
function frameworkFailure(error: unknown, { raw, routeOptions, exchange }: FastifyRequest): Failure | undefined {
  // The body ended early; a database that hangs up throws the same code.
  if (error !== null && error === raw.errored) return fail('http.bad_request');
  const { code = '', statusCode = 500, message = '' } = (error ?? {}) as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('http.too_large', { limit: routeOptions.bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wrongMediaType(exchange?.route.action);
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return fail('http.malformed_json');
    default:
      // Errors of other origin may carry a status too, and a text that is not for the caller.
      return String(code).startsWith('FST_') && statusCode < 500
        ? new Failure('http.bad_request', statusCode, message)
        : undefined;
  }
}

export function wrongMediaType(action: Pick<Action, 'accepts'> | undefined): Failure {
  const types = { json: 'application/json', csv: 'text/csv', form: 'application/x-www-form-urlencoded' };
  return fail('http.unsupported_media_type', { type: types[action?.accepts ?? 'json'] });
}
