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

function refuse(ctx: SystemCtx, message: string): Answer {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_INPUT' } }] });
  return new Answer(body, { status: 400, headers: { 'content-type': typeFor(ctx) } });
}

/** A request above the rate limit, as GraphQL over HTTP describes it. Other failures have the form of REST. */
export function failureAnswer({ status, code, message, extras }: Failure, accept: string): Answer | undefined {
  if (status !== 429) return undefined;
  const seconds = Number(extras.headers?.['Retry-After']);
  return tooMany(accept, { message, extensions: { code: rateLimited, reason: code, retry_after: seconds } });
}

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
