import { createHash } from 'node:crypto';
import { Answer, type Failure, type SystemCtx } from '@chowk/kit';
import type { GraphqlError, GraphqlResult } from './engine-types.ts';
import { readOperation } from './read-operation.ts';
import { recordUnregistered } from './unregistered.ts';

const responseType = 'application/graphql-response+json';

/** Runs the operation of a request that has not been validated. */
export async function execute(ctx: SystemCtx, request: object): Promise<Answer> {
  const read = await readOperation(ctx, request);
  if ('problem' in read) return refuse(ctx, read.problem);
  if ('refusal' in read) return answer(ctx, { errors: [read.refusal] });
  const { operation, unregistered } = read;
  const result = await ctx.system.graphql.execute(ctx, operation);
  if (unregistered && 'data' in result) recordUnregistered(ctx, { ...operation, hash: unregistered });
  return answer(ctx, result);
}

/** Runs the query of a URL, whose parameters have not been validated. */
export async function executeQuery(ctx: SystemCtx, parameters: object): Promise<Answer> {
  const { variables, extensions, ...texts } = parameters as Record<string, unknown>;
  const request = { ...texts, variables: readJson(variables), extensions: readJson(extensions) };
  const read = await readOperation(ctx, request);
  if ('problem' in read) return refuse(ctx, read.problem);
  if ('refusal' in read) return answer(ctx, { errors: [read.refusal] });
  const { operation, unregistered, isPersisted } = read;
  if (!isPersisted && !(await ctx.settings())['graphql.get_queries']) return answer(ctx, { errors: [postRequired] });
  const result = await ctx.system.graphql.execute(ctx, { ...operation, isQuery: true });
  if (unregistered && 'data' in result) recordUnregistered(ctx, { ...operation, hash: unregistered });
  return 'data' in result && !result.errors ? cacheable(ctx, result) : answer(ctx, result);
}

const postRequired: GraphqlError = {
  message: 'GET is for persisted queries, unless the setting graphql.get_queries is on. Send the operation with POST.',
  extensions: { code: 'POST_REQUIRED' },
};

/** A text that is not JSON stays, and is refused as one that is not an object. */
function readJson(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The tag is that of the data: what the operation cost is not part of it. */
function cacheable(ctx: SystemCtx, result: GraphqlResult): Answer {
  const hash = createHash('sha256').update(JSON.stringify(result.data)).digest('base64url').slice(0, 22);
  const etag = `W/"${hash}"`;
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'Accept, Authorization, X-Tenant' };
  const known = ctx.client.header('if-none-match')?.split(',') ?? [];
  if (known.some((one) => one.trim() === etag)) return new Answer('', { status: 304, headers });
  const type = typeFor(ctx);
  return new Answer(JSON.stringify(result), { headers: { ...headers, 'content-type': type } });
}

function refuse(ctx: SystemCtx, message: string): Answer {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_INPUT' } }] });
  return new Answer(body, { status: 400, headers: { 'content-type': typeFor(ctx) } });
}

/**
 * A failure before the operation, as GraphQL over HTTP describes it. Clients that do not accept its media type get the form of
 * REST, except above a rate limit.
 */
export function failureAnswer({ status, code, message, extras }: Failure, accept: string): Answer | undefined {
  if (status === 429) {
    const seconds = Number(extras.headers?.['Retry-After']);
    return tooMany(accept, { message, extensions: { code: rateLimited, reason: code, retry_after: seconds } });
  }
  if (!accept.includes(responseType)) return undefined;
  const error = {
    message,
    extensions: { code: status >= 500 ? 'INTERNAL' : (codes[status] ?? 'BAD_INPUT'), reason: code },
  };
  return new Answer(JSON.stringify({ errors: [error] }), { headers: { 'content-type': mediaType(accept) } });
}

const codes: Readonly<Record<number, string>> = { 401: 'FORBIDDEN', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

const rateLimited = 'RATE_LIMITED';

function tooMany(accept: string, error: GraphqlError): Answer {
  const headers = { 'content-type': mediaType(accept), 'Retry-After': String(error.extensions.retry_after) };
  return new Answer(JSON.stringify({ errors: [error] }), { status: 429, headers, isRefusal: true });
}

/** An operation that was not executed is an error of HTTP only for clients that know the media type of GraphQL. */
function answer(ctx: SystemCtx, result: GraphqlResult): Answer {
  const type = typeFor(ctx);
  const isExecuted = 'data' in result;
  const limit = isExecuted ? undefined : result.errors?.find(({ extensions }) => extensions.code === rateLimited);
  if (limit) return tooMany(acceptedBy(ctx), limit);
  if (result.errors?.some(({ extensions }) => extensions.code === postRequired.extensions.code)) {
    const headers = { 'content-type': type, allow: 'POST' };
    return new Answer(JSON.stringify(result), { status: 405, headers, isRefusal: true });
  }
  const status = isExecuted || !type.startsWith(responseType) ? 200 : 400;
  const isRefusal = wasRefused(result);
  return new Answer(JSON.stringify(result), { status, headers: { 'content-type': type }, isRefusal });
}

/** Whether the operation, or every field of it, was refused. After an internal error something may have changed. */
function wasRefused({ data, errors = [] }: GraphqlResult): boolean {
  if (data === undefined) return true;
  const refused = errors.filter(({ path, extensions }) => path?.length === 1 && extensions.code !== 'INTERNAL');
  const values = Object.values(data ?? {});
  return refused.length > 0 && refused.length === values.length && values.every((value) => value === null);
}

function typeFor(ctx: SystemCtx): string {
  return mediaType(acceptedBy(ctx));
}

function acceptedBy(ctx: SystemCtx): string {
  return ctx.client.header('accept') ?? '';
}

function mediaType(accept: string): string {
  return `${accept.includes(responseType) ? responseType : 'application/json'}; charset=utf-8`;
}
