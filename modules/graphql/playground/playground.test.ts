import { expect, test } from 'vitest';
import { startPlatform } from '../../../server/testing/platform.ts';

const url = '/api/v1/graphql/playground';
const fromBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const platform = await startPlatform();
const acme = await platform.tenant({ name: 'Acme <Stores>' });
const developer = acme.caller('graphql.playground.access');

/** What the page loads from the server. */
function sourcesIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, source]) => source as string);
}

test('a developer gets the playground of the tenant', async () => {
  const { status, headers, body } = await developer.get(url);
  expect({ status, type: headers['content-type'], caching: headers['cache-control'] }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
    caching: 'no-store',
  });
  expect(body).toContain('<title>GraphQL playground · Acme &#60;Stores&#62;</title>');
  expect(body).not.toContain(developer.token);
});

test('a user without the permission is refused, also in a browser', async () => {
  for (const headers of [{}, fromBrowser]) {
    const { status, body } = await acme.caller('graphql.schema.view').get(url, headers);
    expect({ status, ...body }).toEqual({
      status: 403,
      code: 'auth.forbidden',
      message: 'This needs the permission graphql.playground.access.',
    });
  }
});

test('a program without a token gets an error', async () => {
  const { status, headers, body } = await platform.request({ url, headers: { 'x-tenant': acme.id } });
  expect({ status, code: body.code }).toEqual({ status: 401, code: 'auth.unauthenticated' });
  expect(headers).toMatchObject({
    'www-authenticate': expect.stringMatching(/^Bearer resource_metadata=/),
    'content-type': 'application/json; charset=utf-8',
  });
});

test('a browser without a valid token gets a page to sign in', async () => {
  for (const token of [{}, { authorization: 'Bearer expired' }]) {
    const { status, headers, body } = await platform.request({
      url,
      headers: { ...fromBrowser, 'x-tenant': acme.id, ...token },
    });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 401, type: 'text/html; charset=utf-8' });
    expect(headers['www-authenticate']).toMatch(/^Bearer /);
    expect(body).toContain('<button>Sign in</button>');
    expect(body).not.toContain('data-unbound');
  }
});

test('a page to sign in that belongs to no tenant lets the user choose one', async () => {
  const { status, body } = await platform.request({ url, headers: fromBrowser });
  expect(status).toBe(401);
  expect(body).toContain('<form hidden data-unbound>');
});

test('errors other than a missing sign-in are not replaced by a page', async () => {
  const { status, body } = await platform.request({ url, headers: { ...fromBrowser, 'x-tenant': 'nobody' } });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'tenancy.unknown' });
});

test('both pages run only scripts from files of this server', async () => {
  const pages = [await developer.get(url), await platform.request({ url, headers: fromBrowser })];
  for (const { headers, body } of pages) {
    const policy = headers['content-security-policy']?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'", "form-action 'none'"]),
    );
    expect(body).not.toMatch(/<script(?![^>]* src=)/);
    expect(body).not.toMatch(/ on\w+=|https?:\/\//);
    expect(sourcesIn(body).length).toBeGreaterThan(0);
  }
});

test('the files of both pages are public and cached until their content changes', async () => {
  const pages = [await developer.get(url), await platform.request({ url, headers: fromBrowser })];
  const sources = pages.flatMap(({ body }) => sourcesIn(body));
  const folder = sources[0]?.replace(/[^/]+$/, '');
  for (const source of [...sources, `${folder}session.js`]) {
    const { status, headers, body } = await platform.request({ url: source });
    expect({ source, status, caching: headers['cache-control'] }).toEqual({
      source,
      status: 200,
      caching: 'public, max-age=31536000, immutable',
    });
    const type = source.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    expect(headers['content-type']).toBe(type);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body.length).toBeGreaterThan(100);
  }
});

test('the files are compressed', async () => {
  const page = await developer.get(url);
  const source = sourcesIn(page.body).find((one) => one.endsWith('graphiql.js')) as string;
  const { headers } = await platform.request({ url: source, headers: { 'accept-encoding': 'gzip, br' } });
  expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
});

test.each([
  'package.json',
  '..%2Factions.ts',
  '..%2f..%2f..%2fpackage.json',
  '%2Fetc%2Fpasswd',
  'constructor',
  '__proto__',
])('no other file can be read: %s', async (file) => {
  const page = await developer.get(url);
  const folder = sourcesIn(page.body)[0]?.replace(/[^/]+$/, '');
  const { status, body } = await platform.request({ url: `${folder}${file}` });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'graphql.asset_not_found' });
});

test('a file of another version is not found', async () => {
  const { status, body } = await platform.request({ url: `${url}/assets/0000000000000000/session.js` });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'graphql.asset_not_found' });
});

test('in production, the playground is disabled by default, says so and serves nothing', async () => {
  const other = await startPlatform({ environment: { APP_ENV: 'production' } });
  const tenant = await other.tenant();
  const message = 'The GraphQL playground is disabled on this platform. GRAPHQL_PLAYGROUND=true enables it.';
  const { status, body } = await tenant.caller('graphql.playground.access').get(url);
  expect({ status, ...body }).toEqual({ status: 404, code: 'graphql.playground_disabled', message });
  const page = await other.request({ url, headers: { ...fromBrowser, 'x-tenant': tenant.id } });
  expect({ status: page.status, type: page.headers['content-type'] }).toEqual({
    status: 404,
    type: 'text/html; charset=utf-8',
  });
  expect(page.body).toContain(message);
  expect(page.body).not.toContain('<form');
  for (const source of sourcesIn((await developer.get(url)).body)) {
    expect((await other.request({ url: source })).body.code).toBe('graphql.playground_disabled');
  }
});
