import { action } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { assertUniqueActions, registerActions } from './registry.ts';

const run = async () => ({});

function registered(module: string, name: string, http: `GET /${string}`) {
  return registerActions({ [name]: action({ summary: 'Test', http, public: true, run }) }, { module, tag: module });
}

test('a path is below /api/v1 unless the action declares root', () => {
  const [below] = registered('notes', 'notes.get', 'GET /notes/:id');
  expect(below).toMatchObject({ name: 'notes.get', module: 'notes', method: 'GET', path: '/api/v1/notes/:id' });
  const root = action({ summary: 'Test', http: 'POST /oauth/token', root: true, public: true, run });
  expect(registerActions({ 'oauth.token': root }, { module: 'identity', tag: '' })[0]?.path).toBe('/oauth/token');
  const onBus = action({ summary: 'Test', public: true, bus: { rateLimit: 1 }, run });
  expect(registerActions({ 'notes.on': onBus }, { module: 'notes', tag: '' })[0]).toMatchObject({
    path: '',
    isReadOnly: false,
  });
});

test.each([
  [{ http: 'GET /x' }, { isReadOnly: true, isAudited: false }],
  [{ http: 'POST /x' }, { isReadOnly: false, isAudited: true }],
  [{ http: 'DELETE /x' }, { isReadOnly: false, isAudited: true }],
  [
    { http: 'POST /x', readOnly: true },
    { isReadOnly: true, isAudited: false },
  ],
  [
    { http: 'GET /x', audited: true },
    { isReadOnly: true, isAudited: true },
  ],
  [
    { http: 'POST /x', audited: false },
    { isReadOnly: false, isAudited: false },
  ],
] as const)('changes are recorded in the audit log, reads are not: %j', (declared, expected) => {
  const [one] = registerActions(
    { x: action({ summary: 'Test', public: true, run, ...declared }) },
    { module: 'x', tag: '' },
  );
  expect(one).toMatchObject(expected);
});

test('an action or a route that two modules declare is an error that names both', () => {
  const one = registered('one', 'one.get', 'GET /things/:id');
  expect(() => assertUniqueActions([...one, ...registered('other', 'other.get', 'GET /things/:key')])).toThrow(
    'the modules one and other both declare GET /api/v1/things/:',
  );
  expect(() => assertUniqueActions([...one, ...registered('other', 'one.get', 'GET /other')])).toThrow(
    'the modules one and other both declare one.get',
  );
  expect(() => assertUniqueActions([...one, ...registered('other', 'other.get', 'GET /things/new')])).not.toThrow();
});
