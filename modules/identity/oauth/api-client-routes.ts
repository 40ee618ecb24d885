import { Message, Pagination, type Route, systemRoute, Type } from '@chowk/kit';
import { Name } from '../schemas.ts';
import {
  ApiClient,
  createApiClient,
  deleteApiClient,
  getApiClient,
  listApiClients,
  rotateSecret,
  updateApiClient,
} from './api-clients.ts';

const common = { tag: 'API clients', needs: 'settings.api_clients' } as const;
const ById = Type.Object({ id: Type.String({ maxLength: 64, description: 'The client_id.' }) });
const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}]*$' }), {
  minItems: 1,
  maxItems: 200,
  description: 'Permissions that the caller holds too.',
});
const WithSecret = Type.Object({
  ...Message.properties,
  api_client: ApiClient,
  client_secret: Type.String({ description: 'Shown this once.' }),
});

/** Programs of a tenant that act for themselves, within the permissions they were given. */
export const apiClientRoutes: Route[] = [
  systemRoute({
    ...common,
    method: 'GET',
    path: '/api-clients',
    summary: "A page of the tenant's API clients, the newest first.",
    query: Type.Object({
      page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1 }),
      per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    }),
    answer: Type.Object({ api_clients: Type.Array(ApiClient), pagination: Pagination }),
    run: (ctx, { query }) => listApiClients(ctx, query),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/api-clients',
    summary: 'Makes an API client; its secret is shown this once.',
    status: 201,
    body: Type.Object({ name: Name, scopes: Scopes }),
    answer: WithSecret,
    run: async (ctx, { body }) => ({ message: 'The API client was created.', ...(await createApiClient(ctx, body)) }),
  }),
  systemRoute({
    ...common,
    method: 'GET',
    path: '/api-clients/:id',
    summary: 'One API client.',
    params: ById,
    answer: Type.Object({ api_client: ApiClient }),
    run: async (ctx, { params }) => ({ api_client: await getApiClient(ctx, params.id) }),
  }),
  systemRoute({
    ...common,
    method: 'PATCH',
    path: '/api-clients/:id',
    summary: 'Changes the name or the scopes of an API client; its tokens follow at once.',
    params: ById,
    body: Type.Object({ name: Type.Optional(Name), scopes: Type.Optional(Scopes) }),
    answer: Type.Object({ ...Message.properties, api_client: ApiClient }),
    run: async (ctx, { params, body }) => ({
      message: 'The API client was saved.',
      api_client: await updateApiClient(ctx, params.id, body),
    }),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    path: '/api-clients/:id/secret',
    summary: 'Gives an API client a new secret; the old one is good no longer.',
    params: ById,
    answer: WithSecret,
    run: async (ctx, { params }) => ({
      message: 'The API client has a new secret.',
      ...(await rotateSecret(ctx, params.id)),
    }),
  }),
  systemRoute({
    ...common,
    method: 'DELETE',
    path: '/api-clients/:id',
    summary: 'Deletes an API client and ends all its tokens.',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await deleteApiClient(ctx, params.id);
      return { message: 'The API client was deleted.' };
    },
  }),
];
