import { type SystemCtx, systemAction, Type } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { limitFailures, limitPerNetwork } from '../sign-in/limit-failures.ts';
import { beginDeviceGrant } from './device-codes.ts';
import { oauthErrors } from './oauth-errors.ts';
import { getMetadata } from './oauth-metadata.ts';
import { type Parameters, readParameters } from './oauth-parameters.ts';
import { revokeToken } from './oauth-revocation.ts';
import {
  DeviceAuthorization,
  DeviceAuthorizationRequest,
  OAuthFailure,
  OAuthMetadata,
  OAuthToken,
  RevocationRequest,
  TokenRequest,
} from './oauth-schemas.ts';
import { issueToken } from './oauth-token.ts';

/** Unknown parameters are ignored, and failures have the form of RFC 6749. */
const common = { tag: 'OAuth', root: true, tenant: 'none', public: true, unchecked: true, graphql: false } as const;
const endpoint = {
  ...common,
  accepts: 'form',
  responses: {
    400: { description: '`error` is one of RFC 6749 or 8628.', body: OAuthFailure },
    401: { description: '`invalid_client`, if the Authorization header names the client.', body: OAuthFailure },
  },
} as const;
const toCodes = (...names: typeof oauthErrors) => names.map((name) => `identity.${name}`);

/** Limits guesses of secrets and codes. */
function limited<Result>(work: (ctx: SystemCtx, parameters: Parameters) => Promise<Result>) {
  return (ctx: SystemCtx, input: object) =>
    limitFailures(ctx, limitPerNetwork(ctx), async () => work(ctx, readParameters(input)));
}

export const oauthActions = {
  'oauth.token': systemAction({
    ...endpoint,
    summary: 'Get a token',
    description: 'For a refresh token, the secret of an API client or a device code (RFC 6749, 8628).',
    http: 'POST /oauth/token',
    input: TokenRequest,
    output: OAuthToken,
    errors: toCodes(...oauthErrors),
    run: limited(issueToken),
  }),
  'oauth.revoke': systemAction({
    ...endpoint,
    summary: 'Revoke a token',
    description: 'Ends the session of an access or refresh token of the client (RFC 7009).',
    http: 'POST /oauth/revoke',
    input: RevocationRequest,
    answer: { message: 'Token revoked.' },
    errors: toCodes('invalid_request', 'invalid_client', 'invalid_grant'),
    run: limited(revokeToken),
  }),
  'oauth.authorizeDevice': systemAction({
    ...endpoint,
    summary: 'Start to sign in a device',
    description: 'For a program whose user has a browser elsewhere (RFC 8628).',
    http: 'POST /oauth/device_authorization',
    input: DeviceAuthorizationRequest,
    output: DeviceAuthorization,
    errors: toCodes('invalid_request', 'invalid_client', 'unauthorized_client', 'invalid_scope'),
    run: limited(beginDeviceGrant),
  }),
  'oauth.metadata': systemAction({
    ...common,
    summary: 'Get the OAuth metadata',
    description: 'The endpoints and capabilities of this server (RFC 8414).',
    http: 'GET /.well-known/oauth-authorization-server',
    output: OAuthMetadata,
    run: getMetadata,
  }),
  'oauth.keys': systemAction({
    ...common,
    summary: 'Get the signing keys',
    description: 'The public keys of access tokens (RFC 7517).',
    http: 'GET /.well-known/jwks.json',
    output: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    // Shorter than the time for which a retired key stays trusted.
    answer: { key: 'keys', headers: { 'Cache-Control': 'public, max-age=300' } },
    run: async (ctx) => [...(await getAccounts(ctx.system).keys.list())],
  }),
};
