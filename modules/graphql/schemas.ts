import { Line, NamedObject, Nullable, type Static, Text, Timestamp, Type } from '@chowk/kit';

const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the operation, in hexadecimal.',
  examples: ['0e4a8f9218e1eee5b3e96b8ad146605666e2d8341fcd9e43f2b958a8e2803e01'],
});

export const Request = NamedObject('GraphqlRequest', {
  query: Type.Optional(Type.String({ examples: ['{ __typename }'] })),
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  operationName: Type.Optional(Type.String()),
  extensions: Type.Optional(
    Type.Object({
      persistedQuery: Type.Optional(Type.Object({ version: Type.Integer(), sha256Hash: Hash })),
    }),
  ),
});

/** As the parameters of a URL: objects are JSON in texts. */
export const QueryRequest = Type.Object({
  query: Type.Optional(Type.String({ examples: ['{ __typename }'] })),
  variables: Type.Optional(Type.String({ description: 'The variables as JSON.', examples: ['{}'] })),
  operationName: Type.Optional(Type.String()),
  extensions: Type.Optional(
    Type.String({ description: 'As JSON: `persistedQuery` with `version` and `sha256Hash`.', examples: ['{}'] }),
  ),
});

const GraphqlError = NamedObject('GraphqlError', {
  message: Type.String(),
  locations: Type.Optional(Type.Array(Type.Object({ line: Type.Integer(), column: Type.Integer() }))),
  path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
  extensions: Type.Object({ code: Type.String({ examples: ['NOT_FOUND'] }) }),
});

export const Result = NamedObject('GraphqlResult', {
  data: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  errors: Type.Optional(Type.Array(GraphqlError)),
  extensions: Type.Optional(
    Type.Object({
      cost: Type.Object({
        points: Type.Integer({ description: 'What the operation cost.' }),
        limit_per_minute: Type.Optional(Type.Integer({ description: 'What a user can spend. Absent: no limit.' })),
        remaining: Type.Optional(Type.Integer({ description: 'What the user can spend now.' })),
      }),
    }),
  ),
});

/** In characters. */
export const maxQueryLength = 100_000;
const Name = Line(255, { examples: ['OrderList'] });

export const NewPersistedQuery = NamedObject('NewPersistedQuery', {
  query: Text(maxQueryLength, { examples: ['query Name { __typename }'] }),
  name: Name,
});
export type NewPersistedQuery = Static<typeof NewPersistedQuery>;

export const RegisteredQuery = NamedObject('RegisteredQuery', { hash: Hash, name: Type.String() });
export type RegisteredQuery = Static<typeof RegisteredQuery>;

export const PersistedQuery = NamedObject('PersistedQuery', {
  hash: Hash,
  name: Type.String(),
  query: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  uses: Type.Integer(),
});
export type PersistedQuery = Static<typeof PersistedQuery>;

export const ByHash = Type.Object({ hash: Type.String({ description: 'SHA-256 of the query, in hexadecimal.' }) });

export const UnregisteredOperation = NamedObject('UnregisteredOperation', {
  hash: Hash,
  operation_name: Nullable(Type.String()),
  query: Type.String(),
  uses: Type.Integer(),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
});
export type UnregisteredOperation = Static<typeof UnregisteredOperation>;

export const OperationsToRegister = NamedObject('OperationsToRegister', {
  hashes: Type.Optional(Type.Array(Hash, { maxItems: 1_000, description: 'Default: all recorded operations.' })),
});

export const Registration = NamedObject('Registration', {
  registered: Type.Array(RegisteredQuery),
  invalid: Type.Array(Hash, { description: 'Operations that the schema no longer allows; they stay recorded.' }),
  not_found: Type.Array(Hash, { description: 'Hashes without a recorded operation.' }),
});
export type Registration = Static<typeof Registration>;
