import { Failure, failureBody, type GraphqlError, type Log } from '@chowk/kit/kernel';
import { GraphQLError } from 'graphql';
import { databaseFailure } from '../db/failures.ts';
import { fail } from '../errors.ts';
import { graphqlError } from './graphql-refusal.ts';

const codes: Readonly<Record<number, string>> = {
  401: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
};

/** An error of the execution as the response shows it. Internal errors are logged. */
export function executionError(error: GraphQLError, log: Log, requestId: string): GraphqlError {
  const { message, locations, path, originalError } = error;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  const isOwnMessage = !originalError || originalError instanceof GraphQLError;
  // A variable has a wrong type.
  if (path === undefined && isOwnMessage) return graphqlError('BAD_INPUT', message, locations);
  // The value of an action does not fit the schema.
  if (!originalError) return internalError(error, place, log, requestId);
  const failure = originalError instanceof Failure ? originalError : databaseFailure(originalError);
  if (!failure || failure.status === 500) return internalError(originalError, place, log, requestId);
  return { ...failureError(failure), ...place };
}

/** A failure as the response shows it. */
export function failureError(failure: Failure): GraphqlError {
  return { message: failure.message, extensions: errorExtensions(failure) };
}

function errorExtensions(failure: Failure): GraphqlError['extensions'] {
  const { status, extras } = failure;
  const { message: _, code: reason, ...details } = failureBody(failure);
  const seconds = extras.headers?.['Retry-After'];
  return {
    code: status >= 500 ? 'INTERNAL' : (codes[status] ?? 'BAD_INPUT'),
    reason,
    ...details,
    ...(seconds !== undefined && { retry_after: Number(seconds) }),
  };
}

function internalError(error: Error, place: object, log: Log, requestId: string): GraphqlError {
  log.error({ err: error, request_id: requestId }, 'a GraphQL field failed');
  const { message } = fail('http.internal');
  return { message, ...place, extensions: { code: 'INTERNAL', request_id: requestId } };
}
