import { action } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform({
  actions: {
    'samples.old': action({
      tag: 'Samples',
      summary: 'Count samples',
      http: 'GET /samples/old',
      needs: 'customers.view',
      deprecated: { since: '2026-11-01', sunset: '2027-11-01', instead: 'Use `samples.list` instead.' },
      run: async () => ({}),
    }),
  },
});
const acme = await platform.tenant();
const clerk = acme.caller('customers.view');

test('a response names the version of the API, and a request may choose it', async () => {
  const { headers } = await clerk.get('/api/v1/customers');
  expect(headers['api-version']).toBe('2026-11-01');
  expect(headers.deprecation).toBeUndefined();
  expect((await clerk.get('/api/v1/customers', { 'api-version': '2026-11-01' })).status).toBe(200);
});

test('an unknown version is refused with those that exist', async () => {
  for (const version of ['2019-01-01', 'v1', '']) {
    expect(await clerk.get('/api/v1/customers', { 'api-version': version })).toMatchObject({
      status: 400,
      body: { code: 'http.unknown_version', message: expect.stringContaining('2026-11-01') },
    });
  }
});

test('a deprecated action says so in its responses and in the description', async () => {
  const { status, headers } = await clerk.get('/api/v1/samples/old');
  expect(status).toBe(200);
  expect(headers.deprecation).toBe(`@${Date.UTC(2026, 10, 1) / 1_000}`);
  expect(headers.sunset).toBe('Mon, 01 Nov 2027 00:00:00 GMT');
  expect(headers.link).toContain('</docs/versions>; rel="deprecation"');
  const { body } = await platform.request({ url: '/api/openapi.json' });
  const { get } = body.paths['/api/v1/samples/old'];
  expect(get).toMatchObject({ deprecated: true, description: expect.stringContaining('Use `samples.list` instead.') });
  expect(Object.keys(get.responses['200'].headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset']));
});
