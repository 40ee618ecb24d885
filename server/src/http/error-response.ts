import { type Action, type Answer, Failure, failureBody, type Log } from '@chowk/kit/kernel';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { OutputError } from '../actions/response-serializer.ts';
import { databaseFailure } from '../db/failures.ts';
import { declarationIn, errorLocation } from '../error-location.ts';
import { fail } from '../errors.ts';
import { isOwnHost } from '../own-host.ts';
import type { Exchange } from './exchange.ts';
import { ignoredFieldsHeader } from './ignored-fields.ts';

/** Sends the response for a thrown error. Anything but a `Failure` becomes 500 and is logged. */
export function sendErrorResponse(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const failure = asFailure(error, request);
  if (failure.status >= 500) {
    const cause = failure.extras.cause ?? error;
    // The route, not the URL: the URL of a mailed link contains a secret.
    const route = request.routeOptions.url;
    const details = { request_id: request.id, method: request.method, route, ...origin(cause, request) };
    log.error({ err: cause, ...details }, failure.message);
  }
  const page = failurePage(request, failure);
  if (!page) return send(failureAnswer(request, failure), failure, request, reply);
  return page.then((answer) => send(answer, failure, request, reply));
}

function send(answer: Answer | undefined, failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
  if (!answer) {
    sendJson(failure, request, reply);
    return;
  }
  reply
    .status(answer.status ?? failure.status)
    .headers({ ...failureHeaders(failure, request), ...answer.headers })
    .send(answer.body);
}

function failureAnswer({ exchange, headers }: FastifyRequest, failure: Failure): Answer | undefined {
  return exchange?.route.action.failureAnswer?.(failure, headers.accept ?? '');
}

/** The tenant, the action, and the file and line that a developer should look at. */
function origin(cause: unknown, { exchange }: FastifyRequest): object {
  if (!exchange) return {};
  const { action, tenant, kernel } = exchange;
  const folder = kernel.modules.find(({ alias }) => alias === action.module)?.folder;
  const at = cause instanceof OutputError && folder ? declarationIn(folder, action.name) : errorLocation(cause);
  return { tenant: tenant?.id, action: action.name, at };
}

function failurePage({ exchange, headers }: FastifyRequest, failure: Failure): Promise<Answer | undefined> | undefined {
  if (!exchange?.route.action.failurePage || !headers.accept?.includes('text/html')) return undefined;
  return exchange.route.action.failurePage(exchange.kernel.services, failure);
}

/**
 * Tells a client what is wrong with its token (RFC 6750, 3.1; without a token nothing is) and where it gets one
 * (RFC 9728, 5.1).
 */
function challenge(failure: Failure, request: FastifyRequest): Record<string, string> {
  const { exchange, host } = request;
  const given = bearerChallenge(failure, request);
  if (!exchange || !given?.startsWith('Bearer')) return {};
  const separator = given === 'Bearer' ? ' ' : ', ';
  return { 'WWW-Authenticate': `${given}${separator}resource_metadata="${resourceMetadataUrl(exchange, host)}"` };
}

function bearerChallenge({ code, extras }: Failure, { headers }: FastifyRequest): string | undefined {
  const hasToken = /^Bearer +\S/i.test(headers.authorization ?? '');
  if (code !== 'auth.unauthenticated' || !hasToken) return extras.headers?.['WWW-Authenticate'];
  return 'Bearer error="invalid_token", error_description="The token is unknown, expired or revoked."';
}

/** At the address that the client has used. */
function resourceMetadataUrl({ kernel: { config }, route }: Exchange, host: string): string {
  const origin = isOwnHost(config, { host }) ? `${new URL(config.appUrl).protocol}//${host}` : config.appUrl;
  return `${origin}/.well-known/oauth-protected-resource${route.action.path === '/mcp' ? '/mcp' : ''}`;
}

function failureHeaders(failure: Failure, request: FastifyRequest): Record<string, string> {
  return {
    ...(failure.status === 503 ? { 'Retry-After': '1' } : {}),
    ...ignoredFieldsHeader(request.exchange?.ignoredFields ?? []),
    ...failure.extras.headers,
    ...challenge(failure, request),
  };
}

function sendJson(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
  reply
    .status(failure.status)
    .headers(failureHeaders(failure, request))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...failureBody(failure), ...(failure.status >= 500 ? { request_id: request.id } : {}) }));
}

function asFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error;
  return frameworkFailure(error, request) ?? databaseFailure(error) ?? fail('http.internal', {}, { cause: error });
}

/** Errors that Fastify throws before a request reaches the pipeline. */
function frameworkFailure(error: unknown, { raw, routeOptions, exchange }: FastifyRequest): Failure | undefined {
  // The client closed the connection early. Compared by identity: a lost database connection has the same error code.
  if (error !== null && error === raw.errored) return fail('http.bad_request');
  const { code = '', statusCode = 500, message = '' } = (error ?? {}) as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('http.too_large', { limit: routeOptions.bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(exchange?.route.action);
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return fail('http.malformed_json');
    default:
      // Errors of libraries may have a statusCode too, and a message that must not be exposed.
      return String(code).startsWith('FST_') && statusCode < 500
        ? new Failure('http.bad_request', statusCode, message)
        : undefined;
  }
}

export function unsupportedMediaType(action: Pick<Action, 'accepts'> | undefined): Failure {
  const types = {
    json: 'application/json',
    csv: 'text/csv',
    form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data',
    signed: 'application/json',
  };
  return fail('http.unsupported_media_type', { type: types[action?.accepts ?? 'json'] });
}
