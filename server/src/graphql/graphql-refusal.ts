import type { GraphqlError } from '@chowk/kit/kernel';

/** An operation that is not executed. */
export class GraphqlRefusal extends Error {
  readonly error: GraphqlError;
  readonly errors: readonly GraphqlError[];

  constructor(error: GraphqlError, ...others: readonly GraphqlError[]) {
    super(error.message);
    this.error = error;
    this.errors = [error, ...others];
  }
}

/** Messages of graphql-js quote the document, in which a string can be as long as the request. */
const maxMessageLength = 500;

export function graphqlError(code: string, message: string, locations?: GraphqlError['locations']): GraphqlError {
  const isShort = message.length <= maxMessageLength;
  return {
    message: isShort ? message : `${message.slice(0, maxMessageLength)}…`,
    ...(locations && { locations: locations.map(({ line, column }) => ({ line, column })) }),
    extensions: { code },
  };
}
