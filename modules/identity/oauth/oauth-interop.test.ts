import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { expect, test } from 'vitest';
import { freePort } from '../../../server/src/free-port.ts';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { makeApp } from '../../../server/testing/apps.ts';
import { makeClient } from '../../../server/testing/oauth.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const platform = await startAccounts({ environment: { APP_URL: url } });
await platform.app.listen({ host: '127.0.0.1', port });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const shop = await makeClient(asha, ['settings.view', 'settings.domains']);
const insecure = { [oauth.allowInsecureRequests]: true };
const terminal: oauth.Client = { client_id: 'chowk-cli' };

/** The status of a request with the token to a path of the tenant. */
async function requestStatus(token: string, path = '/api/v1/settings'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return (await fetch(`${url}${path}`, { headers })).status;
}

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(issuer, response);
}

test('the metadata contains everything that RFC 8414 requires', async () => {
  const server = await discover();
  expect(server).toEqual({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint: `${url}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    device_authorization_endpoint: `${url}/oauth/device_authorization`,
    jwks_uri: `${url}/.well-known/jwks.json`,
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    registration_endpoint: `${url}/oauth/register`,
    scopes_supported: expect.arrayContaining(['customers.view', 'settings.api_clients', 'reports.view']),
    service_documentation: `${url}/docs/`,
  });
  expect(server.scopes_supported?.length).toBeGreaterThanOrEqual(68);
});

test.each([
  ['in the header', oauth.ClientSecretBasic],
  ['in the body', oauth.ClientSecretPost],
])('oauth4webapi gets a token with a secret %s', async (_, how) => {
  const server = await discover();
  const client: oauth.Client = { client_id: shop.id };
  const response = await oauth.clientCredentialsGrantRequest(server, client, how(shop.secret), {}, insecure);
  const tokens = await oauth.processClientCredentialsResponse(server, client, response);
  expect(tokens).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 900 });
  expect(await requestStatus(tokens.access_token)).toBe(200);
});

test('a token can be verified with the metadata alone', async () => {
  const server = await discover();
  const keys = createRemoteJWKSet(new URL(server.jwks_uri as string));
  const { body } = await shop.token(platform, 'settings.view');
  const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    issuer: url,
    audience: url,
    requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
  });
  const { body: created } = await asha.get(`/api/v1/api-clients/${shop.id}`);
  expect(created.api_client.last_used_at).not.toBeNull();
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: decodeProtectedHeader(body.access_token).kid });
  expect(payload).toMatchObject({ client_id: shop.id, scope: 'settings.view', sub: expect.stringMatching(/^\d+$/) });
  expect(payload.sub).not.toBe(String(asha.id));
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
  const other = await shop.token(platform);
  const { payload: next } = await jwtVerify(other.body.access_token, keys);
  expect(next.jti).not.toBe(payload.jti);
  expect(next.scope).toBeUndefined();
});

test('responses with keys may be cached, responses with tokens may not', async () => {
  const keys = await fetch(`${url}/.well-known/jwks.json`);
  expect(keys.headers.get('cache-control')).toBe('public, max-age=300');
  const { keys: published } = (await keys.json()) as { keys: Record<string, unknown>[] };
  const [key] = published;
  expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  expect((await shop.token(platform)).headers['cache-control']).toBe('no-store');
});

test('oauth4webapi signs a device in, refreshes and revokes', async () => {
  const server = await discover();
  const none = oauth.None();
  const begun = await oauth.deviceAuthorizationRequest(server, terminal, none, {}, insecure);
  const device = await oauth.processDeviceAuthorizationResponse(server, terminal, begun);
  const poll = async () =>
    oauth.processDeviceCodeResponse(
      server,
      terminal,
      await oauth.deviceCodeGrantRequest(server, terminal, none, device.device_code, insecure),
    );
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
  await expect(poll()).rejects.toMatchObject({ error: 'slow_down' });
  expect((await asha.post(`/api/v1/device/${device.user_code}/approve`)).status).toBe(200);
  const tokens = await poll();
  expect(await requestStatus(tokens.access_token)).toBe(200);

  const refresh = async (token: string) =>
    oauth.processRefreshTokenResponse(
      server,
      terminal,
      await oauth.refreshTokenGrantRequest(server, terminal, none, token, insecure),
    );
  const next = await refresh(tokens.refresh_token as string);
  expect(next.refresh_token).not.toBe(tokens.refresh_token);
  expect(await requestStatus(next.access_token)).toBe(200);

  const revoked = await oauth.revocationRequest(server, terminal, none, next.refresh_token as string, insecure);
  await oauth.processRevocationResponse(revoked);
  expect(await requestStatus(next.access_token)).toBe(401);
  await expect(refresh(next.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('openid-client gets, narrows and revokes a token of an API client', async () => {
  const config = await openid.discovery(new URL(url), shop.id, shop.secret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const tokens = await openid.clientCredentialsGrant(config, { scope: 'settings.domains' });
  expect(tokens.scope).toBe('settings.domains');
  expect(await requestStatus(tokens.access_token, '/api/v1/domains')).toBe(200);
  expect(await requestStatus(tokens.access_token)).toBe(403);
  await openid.tokenRevocation(config, tokens.access_token);
  expect(await requestStatus(tokens.access_token, '/api/v1/domains')).toBe(401);
});

test('openid-client waits for the user of a device', async () => {
  const config = await openid.discovery(new URL(url), 'chowk-cli', undefined, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const device = await openid.initiateDeviceAuthorization(config, { scope: 'settings.view' });
  expect(device).toMatchObject({
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${device.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  const polling = openid.pollDeviceAuthorizationGrant(config, device);
  await asha.post(`/api/v1/device/${device.user_code}/approve`);
  const tokens = await polling;
  expect(tokens.scope).toBe('settings.view');
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
  expect(next.scope).toBe('settings.view');
  expect(await requestStatus(next.access_token)).toBe(200);
  expect(await requestStatus(next.access_token, '/api/v1/domains')).toBe(403);
  await openid.tokenRevocation(config, next.access_token);
  expect(await requestStatus(next.access_token)).toBe(401);
});

const redirectUri = 'https://ledger.example.com/callback';

/** The address that the browser of the user returns to. */
async function decide(address: URL, scopes: readonly string[]): Promise<URL> {
  const page = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } });
  const request = Object.fromEntries(new URL(page.headers.get('location') as string, url).searchParams);
  const { body } = await asha.post('/api/v1/app-requests/approve', { ...request, approved_scopes: scopes });
  return new URL(body.redirect_to);
}

test('oauth4webapi gets, refreshes and revokes a token of an app', async () => {
  const app = await makeApp(asha);
  const server = await discover();
  const client: oauth.Client = { client_id: app.id };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint as string);
  address.search = new URLSearchParams({
    client_id: app.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'settings.view',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  // Checks the state and, against mix-up, the issuer.
  const parameters = oauth.validateAuthResponse(server, client, await decide(address, ['settings.view']), state);
  const request = oauth.authorizationCodeGrantRequest;
  const answer = await request(server, client, oauth.None(), parameters, redirectUri, verifier, insecure);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  expect(tokens).toMatchObject({ scope: 'settings.view', tenant: acme.id });
  expect(await requestStatus(tokens.access_token)).toBe(200);
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token as string, insecure),
  );
  expect(await requestStatus(refreshed.access_token)).toBe(200);
  const revoked = await oauth.revocationRequest(server, client, oauth.None(), refreshed.access_token, insecure);
  await oauth.processRevocationResponse(revoked);
  expect(await requestStatus(refreshed.access_token)).toBe(401);
});

test('openid-client gets a token of an app with a secret', async () => {
  const app = await makeApp(asha, { has_secret: true });
  const config = await openid.discovery(new URL(url), app.id, app.secret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const verifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'settings.view settings.domains',
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const returned = await decide(address, ['settings.domains']);
  const tokens = await openid.authorizationCodeGrant(config, returned, { pkceCodeVerifier: verifier, expectedState });
  expect(tokens.scope).toBe('settings.domains');
  expect(await requestStatus(tokens.access_token, '/api/v1/domains')).toBe(200);
  expect(await requestStatus(tokens.access_token)).toBe(403);
});

test('oauth4webapi finds the authorization server of the API and of a tenant by the answer to a request without a token', async () => {
  const answer = await fetch(`${url}/api/v1/settings`, { headers: { 'x-tenant': acme.id } });
  const metadataUrl = `${url}/.well-known/oauth-protected-resource`;
  expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadataUrl}"`);
  const resource = new URL(url);
  const described = await oauth.resourceDiscoveryRequest(resource, insecure);
  const metadata = await oauth.processResourceDiscoveryResponse(resource, described);
  expect(metadata).toMatchObject({ resource: url, authorization_servers: [url], bearer_methods_supported: ['header'] });
  const host = `${acme.id}.${platform.kernel.config.baseDomain}`;
  const atTenant = await platform.request({
    method: 'GET',
    url: '/.well-known/oauth-protected-resource/mcp',
    headers: { host },
  });
  expect(atTenant.body).toMatchObject({ resource: `http://${host}/mcp`, authorization_servers: [url] });
  const elsewhere = { host: 'evil.example.org' };
  const spoofed = await platform.request({
    method: 'GET',
    url: '/.well-known/oauth-protected-resource',
    headers: elsewhere,
  });
  expect(spoofed.body.resource).toBe(url);
});
