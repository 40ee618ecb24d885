import { NamedObject, Type } from '@chowk/kit';

const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the operation, in hexadecimal.',
  examples: ['7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b'],
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

const GraphqlError = NamedObject('GraphqlError', {
  message: Type.String(),
  locations: Type.Optional(Type.Array(Type.Object({ line: Type.Integer(), column: Type.Integer() }))),
  path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
  extensions: Type.Object({ code: Type.String({ examples: ['NOT_FOUND'] }) }),
});

export const Result = NamedObject('GraphqlResult', {
  data: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  errors: Type.Optional(Type.Array(GraphqlError)),
});
