import { Answer, signedIn, systemAction, Type } from '@chowk/kit';
import { execute, executeQuery, failureAnswer } from './execute.ts';
import { checkQuery, createPersisted, deletePersisted, listPersisted } from './persisted.ts';
import { playgroundActions } from './playground/actions.ts';
import {
  ByHash,
  NewPersistedQuery,
  OperationsToRegister,
  PersistedQuery,
  QueryRequest,
  RegisteredQuery,
  Registration,
  Request,
  Result,
  UnregisteredOperation,
} from './schemas.ts';
import { clearUnregistered, listUnregistered, registerUnregistered } from './unregistered.ts';

const manage = 'graphql.persisted.manage';
const common = { tag: 'GraphQL', graphql: false } as const;

export const actions = {
  'graphql.execute': systemAction({
    ...common,
    summary: 'Run a GraphQL operation',
    description:
      'GraphQL over HTTP: the response is `application/graphql-response+json` if the request accepts it. Each field of ' +
      'the operation needs the permission of its action. Operations count against a limit of complexity per minute; above it, ' +
      'the status is 429 and the code of the error is RATE_LIMITED.',
    http: 'POST /graphql',
    needs: signedIn,
    unchecked: true,
    // The actions of its fields are audited, and wait until caches are up to date.
    readOnly: true,
    audited: false,
    bodyLimit: 256 * 1024,
    input: Request,
    output: Result,
    responses: {
      400: { description: 'The request is not one of GraphQL over HTTP.', body: Result, isAlternative: true },
      429: { description: 'Too many requests, or operations that cost too much.', body: Result, isAlternative: true },
    },
    failureAnswer,
    run: execute,
  }),
  'graphql.query': systemAction({
    ...common,
    summary: 'Run a GraphQL query with GET',
    description:
      'For persisted queries, and for others where the setting `graphql.get_queries` is on. Never runs a mutation. The ' +
      'response has an `ETag`, so that a client can ask whether its copy is current.',
    http: 'GET /graphql',
    needs: signedIn,
    unchecked: true,
    input: QueryRequest,
    output: Result,
    responses: {
      304: { description: 'The response has not changed.' },
      400: { description: 'The request is not one of GraphQL over HTTP.', body: Result, isAlternative: true },
      405: { description: 'The operation must be sent with POST.', body: Result, isAlternative: true },
      429: { description: 'Too many requests, or operations that cost too much.', body: Result, isAlternative: true },
    },
    failureAnswer,
    run: executeQuery,
  }),
  'graphql.schema': systemAction({
    ...common,
    summary: 'Get the GraphQL schema',
    description: 'The schema of the modules that are enabled for the tenant, as SDL.',
    http: 'GET /graphql/schema',
    needs: 'graphql.schema.view',
    file: ['text/plain'],
    run: async (ctx) =>
      new Answer(await ctx.system.graphql.sdl(ctx), { headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  }),
  'graphql.listPersisted': systemAction({
    ...common,
    summary: 'List the persisted queries',
    http: 'GET /graphql/persisted',
    needs: 'graphql.persisted.view',
    output: Type.Array(PersistedQuery),
    answer: { key: 'persisted_queries' },
    run: listPersisted,
  }),
  'graphql.createPersisted': systemAction({
    ...common,
    summary: 'Register a persisted query',
    description: 'Clients execute it by its hash. Registering the same query again changes its name.',
    http: 'POST /graphql/persisted',
    needs: manage,
    input: NewPersistedQuery,
    output: RegisteredQuery,
    answer: { message: 'Persisted query registered.', status: 201 },
    errors: ['graphql.too_many_persisted'],
    check: checkQuery,
    run: createPersisted,
  }),
  'graphql.deletePersisted': systemAction({
    ...common,
    summary: 'Delete a persisted query',
    http: 'DELETE /graphql/persisted/:hash',
    needs: manage,
    input: ByHash,
    answer: { message: 'Persisted query deleted.' },
    errors: ['graphql.persisted_not_found'],
    run: deletePersisted,
  }),
  'graphql.listUnregistered': systemAction({
    ...common,
    summary: 'List recorded operations that are not registered',
    description:
      'Lists operations that were executed while `graphql.record_unregistered` was on and that ' +
      '`graphql.persisted_queries_only` would refuse, most used first. They may contain personal data.',
    http: 'GET /graphql/unregistered',
    needs: manage,
    output: Type.Array(UnregisteredOperation),
    answer: { key: 'unregistered_operations' },
    run: listUnregistered,
  }),
  'graphql.registerUnregistered': systemAction({
    ...common,
    summary: 'Register recorded operations',
    description: 'They become persisted queries with the names of their operations.',
    http: 'POST /graphql/unregistered/register',
    needs: manage,
    input: OperationsToRegister,
    output: Registration,
    answer: { message: ({ registered }) => `Operations registered: ${registered.length}.` },
    errors: ['graphql.too_many_persisted'],
    run: registerUnregistered,
  }),
  'graphql.clearUnregistered': systemAction({
    ...common,
    summary: 'Delete recorded operations',
    http: 'DELETE /graphql/unregistered',
    needs: manage,
    answer: { message: 'Recorded operations deleted.' },
    run: clearUnregistered,
  }),
  ...playgroundActions,
};
