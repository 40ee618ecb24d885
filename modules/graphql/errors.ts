import { defineErrors } from '@chowk/kit';

export const errors = {
  'graphql.persisted_not_found': { status: 404, message: 'There is no persisted query {hash}.' },
  'graphql.too_many_persisted': {
    status: 409,
    message: 'A tenant can have at most {count} persisted queries with {megabytes} MB of text; delete some first.',
  },
  'graphql.playground_disabled': {
    status: 404,
    message: 'The GraphQL playground is disabled on this platform. GRAPHQL_PLAYGROUND=true enables it.',
  },
  'graphql.asset_not_found': { status: 404, message: 'The playground has no file {file} in this version.' },
} as const;

export const fail = defineErrors(errors);
