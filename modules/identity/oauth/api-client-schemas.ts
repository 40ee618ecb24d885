import { extend, Line, Nullable, named, type Static, Timestamp, Type, updateSchema } from '@chowk/kit';
import { Confirmation } from '../profile/own-session.ts';
import { UserReference } from '../user-reference.ts';

export const NewApiClient = named(
  'NewApiClient',
  Type.Object({
    name: Line(255, { examples: ['Shop window'] }),
    scopes: Type.Array(Line(100), {
      minItems: 1,
      maxItems: 200,
      distinct: true,
      description:
        'Permissions of the client. The caller must hold them. They have an effect while the maker holds them.',
      examples: [['orders.view']],
    }),
  }),
);
export type NewApiClient = Static<typeof NewApiClient>;

export const ClientKey = Type.Object({ id: Line(64, { description: 'The client_id.' }) });
export type ClientKey = Static<typeof ClientKey>;

export const ApiClientChanges = named(
  'ApiClientChanges',
  extend(updateSchema(NewApiClient), { ...ClientKey.properties, ...Confirmation.properties }),
);
export type ApiClientChanges = Static<typeof ApiClientChanges>;

export const ApiClient = named(
  'ApiClient',
  Type.Object({
    id: Type.String({ description: 'The client_id.' }),
    name: Type.String(),
    scopes: Type.Array(Type.String(), {
      description: 'Its permissions in the tenant, limited to those that its creator (`created_by`) holds.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    created_by: Nullable(UserReference),
    secret_expires_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Set when another person may know the secret, as after a take-over: replace it by then.',
      }),
    ),
    last_used_at: Nullable(Type.String({ format: 'date-time', description: 'When it last requested a token.' })),
  }),
);
export type ApiClient = Static<typeof ApiClient>;

export const ApiClientWithSecret = named(
  'ApiClientWithSecret',
  Type.Object({ api_client: ApiClient, client_secret: Type.String({ description: 'Shown only once.' }) }),
);
export type ApiClientWithSecret = Static<typeof ApiClientWithSecret>;
