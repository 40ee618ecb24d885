import { extend, systemAction } from '@chowk/kit';
import {
  Confirmation,
  checkConfirmation,
  confirmationErrors,
  mustBeLogin,
  mustBeOwnSession,
} from '../profile/own-session.ts';
import { ApiClient, ApiClientChanges, ApiClientWithSecret, ClientKey, NewApiClient } from './api-client-schemas.ts';
import {
  apiClientList,
  checkApiClientChanges,
  checkNewApiClient,
  createApiClient,
  deleteApiClient,
  getApiClient,
  rotateSecret,
  updateApiClient,
} from './api-clients.ts';
import { requestsByClient } from './client-requests.ts';

const common = { tag: 'API clients', needs: 'settings.api_clients' } as const;
const notFound = ['identity.api_client_not_found'];
const changed = 'http.precondition_failed';

export const apiClientActions = {
  'apiClients.list': systemAction({
    ...common,
    summary: 'List API clients',
    http: 'GET /api-clients',
    ...apiClientList.paged,
  }),
  'apiClients.create': systemAction({
    ...common,
    summary: 'Create an API client',
    description:
      'Its secret is shown only once. The client never has more rights than its maker and ends with the membership of the ' +
      'maker. Needs a session in which the user has signed in.',
    http: 'POST /api-clients',
    input: extend(NewApiClient, Confirmation.properties),
    output: ApiClientWithSecret,
    answer: { message: 'API client created.', status: 201 },
    errors: [
      'identity.scope_not_held',
      'identity.too_many_api_clients',
      'identity.session_only',
      ...confirmationErrors,
    ],
    guard: mustBeLogin,
    check: checkNewApiClient,
    run: createApiClient,
  }),
  'apiClients.get': systemAction({
    ...common,
    summary: 'Get an API client',
    http: 'GET /api-clients/:id',
    input: ClientKey,
    output: ApiClient,
    answer: { key: 'api_client' },
    errors: notFound,
    run: getApiClient,
  }),
  'apiClients.requests': systemAction({
    ...common,
    summary: "List an API client's requests",
    description:
      'Those of the last 30 days, newest first, without their bodies. A tenant keeps its newest 100,000. A request appears ' +
      'after a few seconds.',
    http: 'GET /api-clients/:id/requests',
    errors: notFound,
    ...requestsByClient,
  }),
  'apiClients.update': systemAction({
    ...common,
    summary: 'Update an API client',
    description: 'New scopes apply to existing tokens at once. Adding some needs the same proof as creating a client.',
    http: 'PATCH /api-clients/:id',
    input: ApiClientChanges,
    output: ApiClient,
    answer: { key: 'api_client', message: 'API client saved.' },
    errors: [
      ...notFound,
      'identity.scope_not_held',
      'identity.api_client_changed',
      'identity.session_only',
      ...confirmationErrors,
    ],
    guard: mustBeOwnSession,
    check: checkApiClientChanges,
    run: updateApiClient,
  }),
  'apiClients.rotateSecret': systemAction({
    ...common,
    summary: 'Replace the secret of an API client',
    description:
      'The old secret is invalid at once. The new one is shown only once. Needs the same proof as creating a client.',
    http: 'POST /api-clients/:id/secret',
    input: extend(ClientKey, Confirmation.properties),
    output: ApiClientWithSecret,
    answer: { message: 'Secret replaced.' },
    errors: [...notFound, 'identity.scope_not_held', changed, 'identity.session_only', ...confirmationErrors],
    guard: mustBeLogin,
    check: checkConfirmation,
    run: rotateSecret,
  }),
  'apiClients.delete': systemAction({
    ...common,
    summary: 'Delete an API client',
    description: 'Revokes all its tokens at once.',
    http: 'DELETE /api-clients/:id',
    input: ClientKey,
    answer: { message: 'API client deleted.' },
    errors: [...notFound, changed, 'identity.session_only'],
    guard: mustBeOwnSession,
    run: deleteApiClient,
  }),
};
