import { Answer, Message, type Route, systemRoute, Type } from '@chowk/kit';
import { limitFailures, perAddress } from '../sign-in/limit-failures.ts';
import { beginDeviceGrant, deviceGrant } from './device-codes.ts';
import { GivenToken } from './given-token.ts';
import { authenticateClient, mustHaveGrant } from './oauth-clients.ts';
import { Metadata, metadata } from './oauth-metadata.ts';
import { describe, readParameters } from './oauth-parameters.ts';
import { revokeToken } from './oauth-revocation.ts';
import { giveToken } from './oauth-token.ts';

const common = { tag: 'OAuth', root: true, tenant: 'none', public: true } as const;
const asTheStandardSays = {
  body: Type.Object({ error: Type.String(), error_description: Type.String() }),
};
const errors = {
  400: { ...asTheStandardSays, description: '`error` as RFC 6749 and 8628 name it.' },
  401: { ...asTheStandardSays, description: '`invalid_client`, shown in the Authorization header.' },
};
/** What the platform's own programs call themselves. */
const publicClients = '`chowk-console` and `chowk-cli` are the programs of the platform and have no secret.';
const client = {
  client_id: `Unless the Authorization header (Basic) says it. ${publicClients}`,
  client_secret: 'Of a client that has one, unless the Authorization header says it.',
};
/** Keys change rarely, and the old one is believed for longer than this. */
const cached = { headers: { 'Cache-Control': 'public, max-age=300' } };

export const oauthRoutes: Route[] = [
  systemRoute({
    ...common,
    method: 'POST',
    also: errors,
    path: '/oauth/token',
    summary: 'Gives tokens for a refresh token, for the secret of an API client or for a device code (RFC 6749, 8628).',
    accepts: 'form',
    body: describe({
      grant_type: `\`refresh_token\`, \`client_credentials\` or \`${deviceGrant}\`.`,
      ...client,
      refresh_token: 'For the first.',
      device_code: 'For the last.',
      scope: 'Permissions with spaces between them, if the token is to be for less than it could be.',
    }),
    answer: GivenToken,
    run: (ctx, { body, headers: { authorization } }) =>
      limitFailures(ctx, perAddress(ctx), async () =>
        giveToken(ctx, { parameters: readParameters(body), authorization }),
      ),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    also: errors,
    path: '/oauth/revoke',
    summary: 'Ends the session of a refresh or access token of the client (RFC 7009).',
    accepts: 'form',
    body: describe({ token: 'What is to be good no longer.', token_type_hint: 'Not needed.', ...client }),
    answer: Message,
    run: (ctx, { body, headers: { authorization } }) =>
      limitFailures(ctx, perAddress(ctx), async () => {
        await revokeToken(ctx, { parameters: readParameters(body), authorization });
        return { message: 'The token is good no longer.' };
      }),
  }),
  systemRoute({
    ...common,
    method: 'POST',
    also: errors,
    path: '/oauth/device_authorization',
    summary: 'Begins to sign in a program whose user has a browser elsewhere (RFC 8628).',
    accepts: 'form',
    body: describe({ client_id: client.client_id, scope: 'Permissions to limit the program to.' }),
    answer: Type.Object({
      device_code: Type.String(),
      user_code: Type.String(),
      verification_uri: Type.String(),
      verification_uri_complete: Type.String(),
      expires_in: Type.Integer(),
      interval: Type.Integer(),
    }),
    run: (ctx, { body, headers: { authorization } }) =>
      limitFailures(ctx, perAddress(ctx), async () => {
        const parameters = readParameters(body);
        const client = await authenticateClient(ctx, { parameters, authorization });
        mustHaveGrant(client, deviceGrant);
        return beginDeviceGrant(ctx, client, parameters);
      }),
  }),
  systemRoute({
    ...common,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'What an OAuth client needs to know about this server (RFC 8414).',
    answer: Metadata,
    run: metadata,
  }),
  systemRoute({
    ...common,
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that access tokens are signed with (RFC 7517).',
    answer: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
    run: async (ctx) => new Answer({ keys: await ctx.platform.keys.list() }, cached),
  }),
];
