import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Answer, action, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const text = 'Tea. '.repeat(1_000);
const common = { summary: 'Answer with text', public: true, tenant: 'none' } as const;
const platform = await startPlatform({
  modules: [],
  actions: {
    'test.long': action({
      ...common,
      http: 'GET /long',
      output: Type.Object({ text: Type.String() }),
      run: async () => ({ text }),
    }),
    'test.short': action({
      ...common,
      http: 'GET /short',
      output: Type.Object({ text: Type.String() }),
      run: async () => ({ text: 'Tea.' }),
    }),
    'test.file': action({
      ...common,
      http: 'GET /file',
      file: ['text/csv'],
      run: async () => new Answer(Readable.from([text, text]), { headers: { 'content-type': 'text/csv' } }),
    }),
  },
});

const get = (path: string, encoding?: string) =>
  platform.app.inject({
    url: `/api/v1${path}`,
    headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
  });

test.each([
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
])('a long response to a client that accepts %s is compressed with %s', async (accepted, encoding, expand) => {
  const { headers, rawPayload } = await get('/long', accepted);
  expect(headers).toMatchObject({ 'content-encoding': encoding, vary: expect.stringContaining('Accept-Encoding') });
  expect(rawPayload.length).toBeLessThan(text.length / 10);
  expect(JSON.parse(expand(rawPayload).toString())).toEqual({ text });
});

test.each([undefined, 'identity', 'gzip;q=0', 'zstd'])(
  'a client that accepts %s gets an uncompressed response',
  async (accepted) => {
    const { headers, body } = await get('/long', accepted);
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body)).toEqual({ text });
  },
);

test('a short response is not compressed', async () => {
  expect((await get('/short', 'gzip')).headers['content-encoding']).toBeUndefined();
});

test('a streamed file is compressed', async () => {
  const { headers, rawPayload } = await get('/file', 'gzip');
  expect(headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(rawPayload).toString()).toBe(text + text);
});
