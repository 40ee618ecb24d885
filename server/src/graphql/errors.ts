import { Failure, type GraphqlError, type Log } from '@chowk/kit';
import { GraphQLError } from 'graphql';
import { databaseFailure } from '../db/failures.ts';
import { fail } from '../errors.ts';
import { graphqlError } from './graphql-refusal.ts';

const codes: Readonly<Record<number, string>> = {
  ...{ 401: 'FORBIDDEN', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' },
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
  return { message: failure.message, ...place, extensions: extensionsOf(failure) };
}

function extensionsOf({
  status,
  code: reason,
  extras: { errors, body, headers },
}: Failure): GraphqlError['extensions'] {
  const code = status >= 500 ? 'INTERNAL' : (codes[status] ?? 'BAD_INPUT');
  const seconds = headers?.['Retry-After'];
  return {
    code,
    ...{ reason },
    ...(errors && { errors: messagesOf(errors), error_codes: codesOf(errors) }),
    ...(seconds !== undefined && { retry_after: Number(seconds) }),
    ...body,
  };
}

type Errors = NonNullable<Failure['extras']['errors']>;

function messagesOf(errors: Errors): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, found]) => [field, found.map(({ message }) => message)]),
  );
}

function codesOf(errors: Errors): Record<string, string[]> {
  return Object.fromEntries(Object.entries(errors).map(([field, found]) => [field, found.map(({ code }) => code)]));
}

function internalError(error: Error, place: object, log: Log, requestId: string): GraphqlError {
  log.error({ err: error, request_id: requestId }, 'a GraphQL field failed');
  const { message } = fail('http.internal');
  return { message, ...place, extensions: { code: 'INTERNAL', ...{ request_id: requestId } } };
}
