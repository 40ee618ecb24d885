import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PushService } from '@chowk/kit/kernel';
import { exportPKCS8, generateKeyPair } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FcmAnswer, fcmAnswers, startFcm } from '../../testing/fcm-server.ts';
import { testConfig } from '../../testing/test-config.ts';
import { OutboundClient } from '../outbound/outbound-client.ts';
import { openFcm } from './fcm.ts';

const fcm = await startFcm();
const credentials = String(fcm.environment['FCM_CREDENTIALS']);
let now = Date.parse('2026-03-01T10:00:00Z');
const http = new OutboundClient({ allowedHosts: ['127.0.0.1'] });
const open = (environment: Record<string, string> = fcm.environment) =>
  openFcm({ config: testConfig(environment), http, now: () => new Date(now) });
const push = (await open()) as PushService;
const message = { token: 'phone', title: 'New order', body: null, data: { order_id: '7' }, badge: 3, tag: 'n-1' };

beforeEach(() => {
  Object.assign(fcm, { answer: () => undefined, tokenAnswer: undefined });
});

test('a message has a title, data, a badge and a tag that replaces an earlier message', async () => {
  expect(await push.send({ ...message, body: 'From Asha' })).toEqual({ outcome: 'sent' });
  expect(fcm.received.at(-1)).toEqual({
    token: 'phone',
    notification: { title: 'New order', body: 'From Asha' },
    data: { order_id: '7' },
    android: { priority: 'HIGH', notification: { tag: 'n-1', notification_count: 3 } },
    apns: { headers: { 'apns-collapse-id': 'n-1' }, payload: { aps: { badge: 3, sound: 'default' } } },
    webpush: { notification: { tag: 'n-1' } },
  });
});

test('messages share an access token until shortly before it expires', async () => {
  await push.send(message);
  const before = fcm.issued;
  await Promise.all([push.send(message), push.send(message)]);
  now += 3_500_000;
  await push.send(message);
  expect(fcm.issued).toBe(before);
  now += 60_000;
  await Promise.all([push.send(message), push.send(message), push.send(message)]);
  expect(fcm.issued).toBe(before + 1);
});

test('a revoked access token is replaced with the next message', async () => {
  await push.send(message);
  fcm.revokeTokens();
  expect(await push.send(message)).toMatchObject({ outcome: 'retry' });
  expect(await push.send(message)).toEqual({ outcome: 'sent' });
});

describe('the response of the service determines the result of a message', () => {
  test.each<[string, FcmAnswer, object]>([
    ['a token that is no longer registered is dead', fcmAnswers.unregistered, { outcome: 'dead_token' }],
    ['an invalid token is dead', fcmAnswers.invalidToken, { outcome: 'dead_token' }],
    [
      'an invalid message is refused',
      fcmAnswers.invalidPayload,
      { outcome: 'refused', reason: '400 INVALID_ARGUMENT' },
    ],
    [
      'a token of another project is refused',
      fcmAnswers.senderMismatch,
      { outcome: 'refused', reason: '403 SENDER_ID_MISMATCH' },
    ],
    [
      'a wrong address of the service leaves the token alone',
      { status: 404, body: '<html>' },
      { outcome: 'refused', reason: '404' },
    ],
    ['a quota is respected', fcmAnswers.quota, { outcome: 'retry', afterSeconds: 90 }],
    ['an outage is retried', fcmAnswers.unavailable, { outcome: 'retry', afterSeconds: 60 }],
    ['an answer without JSON is retried', { status: 502, body: 'Bad gateway' }, { outcome: 'retry', afterSeconds: 60 }],
  ])('%s', async (_, answer, result) => {
    fcm.answer = () => answer;
    expect(await push.send(message)).toEqual(result);
  });

  test('a date in Retry-After is respected, for an hour at most', async () => {
    const at = (ms: number) => ({ 'retry-after': new Date(now + ms).toUTCString() });
    fcm.answer = () => ({ ...fcmAnswers.unavailable, headers: at(120_000) });
    expect(await push.send(message)).toEqual({ outcome: 'retry', afterSeconds: 120 });
    fcm.answer = () => ({ ...fcmAnswers.unavailable, headers: at(86_400_000) });
    expect(await push.send(message)).toEqual({ outcome: 'retry', afterSeconds: 3_600 });
  });
});

test('a service account that Google refuses sends nothing, and an outage of the token endpoint is retried', async () => {
  const fresh = (await open()) as PushService;
  fcm.tokenAnswer = { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
  expect(await fresh.send(message)).toEqual({ outcome: 'refused', reason: '400 invalid_grant' });
  fcm.tokenAnswer = { status: 503 };
  expect(await fresh.send(message)).toMatchObject({ outcome: 'retry' });
  fcm.tokenAnswer = undefined;
  expect(await fresh.send(message)).toEqual({ outcome: 'sent' });
});

test('a service account with a wrong key sends nothing', async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const account = JSON.parse(await readFile(credentials, 'utf8'));
  const file = join(dirname(credentials), 'wrong-key.json');
  await writeFile(file, JSON.stringify({ ...account, private_key: await exportPKCS8(privateKey) }));
  const wrong = (await open({ ...fcm.environment, FCM_CREDENTIALS: file })) as PushService;
  expect(await wrong.send(message)).toEqual({ outcome: 'refused', reason: '400' });
});

test('a service that cannot be reached is retried', async () => {
  const away = (await open({ ...fcm.environment, FCM_URL: 'http://127.0.0.1:9' })) as PushService;
  expect(await away.send(message)).toMatchObject({ outcome: 'retry' });
});

test('without a service account there is no push service, and a wrong file stops the start', async () => {
  expect(await open({})).toBeUndefined();
  await expect(open({ FCM_CREDENTIALS: '/nowhere/key.json' })).rejects.toThrow(
    'FCM_CREDENTIALS: /nowhere/key.json cannot be read (ENOENT)',
  );
  const file = join(dirname(credentials), 'other.json');
  await writeFile(file, '{"project_id": "p"}');
  await expect(open({ FCM_CREDENTIALS: file })).rejects.toThrow('missing: client_email, private_key, token_uri');
});
