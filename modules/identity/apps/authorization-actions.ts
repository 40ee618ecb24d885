import { extend, signedIn, systemAction, Type } from '@chowk/kit';
import type { oauthErrors } from '../oauth/oauth-errors.ts';
import { OAuthFailure } from '../oauth/oauth-schemas.ts';
import { Confirmation, confirmationErrors, mustBeLogin } from '../profile/own-session.ts';
import { Scopes } from './app-schemas.ts';
import {
  AppRequest,
  approveRequest,
  beginAuthorization,
  checkApproval,
  denyRequest,
  previewRequest,
  showProblem,
} from './authorization.ts';
import { AuthorizationParameters } from './authorization-request.ts';
import { ClientMetadata, RegisteredClient, registerClient } from './registration.ts';

const requestErrors = [
  'identity.unknown_app',
  'identity.wrong_redirect_uri',
  ...(['invalid_request', 'invalid_scope', 'unsupported_response_type', 'invalid_target'] as const).map(
    (name: (typeof oauthErrors)[number]) => `identity.${name}`,
  ),
];
const endpoint = { tag: 'OAuth', root: true, tenant: 'none', public: true, unchecked: true, graphql: false } as const;
/** By the page that asks the user. */
const decision = {
  tag: 'Apps',
  needs: signedIn,
  guard: mustBeLogin,
  // For people only, so that it is no tool for agents.
  tenant: 'optional',
  graphql: false,
} as const;
const decisionErrors = ['identity.session_only', ...requestErrors];
const RedirectTo = Type.Object({
  redirect_to: Type.String({ description: 'The address of the app that the browser continues with.' }),
});

export const authorizationActions = {
  'oauth.authorize': systemAction({
    ...endpoint,
    summary: 'Ask a user for access',
    description:
      'The authorization code flow (RFC 6749) with PKCE (RFC 7636, `S256` only). Leads to a page that asks the user. The ' +
      'response has `code` or `error`, `state` and `iss` (RFC 9207). A code is valid once, for 60 seconds.',
    http: 'GET /oauth/authorize',
    input: AuthorizationParameters,
    responses: {
      302: { description: 'To the page that asks the user or, if the request is wrong, to the app.' },
      400: { description: 'The app or its redirect URI is unknown.', body: OAuthFailure, isAlternative: true },
    },
    errors: requestErrors,
    failurePage: showProblem,
    run: beginAuthorization,
  }),
  'oauth.register': systemAction({
    ...endpoint,
    summary: 'Register a client',
    description:
      'For programs that find this server by its metadata, such as MCP clients (RFC 7591). The client has no secret, and ' +
      'users see that its name is not verified. It is deleted after a day unless someone approves it.',
    http: 'POST /oauth/register',
    input: ClientMetadata,
    output: RegisteredClient,
    answer: { status: 201 },
    limit: { perMinute: 10, by: 'network' },
    responses: { 400: { description: '`error` is one of RFC 7591.', body: OAuthFailure } },
    errors: ['identity.invalid_redirect_uri', 'identity.invalid_client_metadata'],
    run: registerClient,
  }),
  'appRequests.preview': systemAction({
    ...decision,
    summary: 'Get the access that an app requests',
    http: 'POST /app-requests/preview',
    readOnly: true,
    input: AuthorizationParameters,
    output: AppRequest,
    answer: { key: 'request' },
    errors: decisionErrors,
    run: previewRequest,
  }),
  'appRequests.approve': systemAction({
    ...decision,
    summary: 'Approve an app',
    description:
      'In the tenant of the call. Needs a session in which the user has signed in, within the last 15 minutes or confirmed ' +
      'by password or code.',
    http: 'POST /app-requests/approve',
    input: extend(AuthorizationParameters, {
      approved_scopes: Type.Array(Scopes.items, {
        ...Scopes,
        description: 'The requested permissions to grant.',
      }),
      ...Confirmation.properties,
    }),
    output: RedirectTo,
    errors: [
      ...decisionErrors,
      'auth.forbidden',
      'identity.no_organization',
      'identity.other_organization',
      'identity.scope_not_held',
      ...confirmationErrors,
    ],
    check: checkApproval,
    run: approveRequest,
  }),
  'appRequests.deny': systemAction({
    ...decision,
    summary: 'Deny an app',
    http: 'POST /app-requests/deny',
    readOnly: true,
    input: AuthorizationParameters,
    output: RedirectTo,
    errors: decisionErrors,
    run: denyRequest,
  }),
};
