import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declarationIn, errorLocation } from './error-location.ts';

const modules = join(import.meta.dirname, '../../modules');

test('the location of an error is in a module if its stack is, otherwise the first line', () => {
  const stack = [
    'Error: wrong',
    '    at send (file:///srv/chowk/server/src/db/database.ts:20:5)',
    '    at async list (file:///srv/chowk/node_modules/pg/lib/client.ts:3:1)',
    '    at async listNotes (file:///srv/chowk/modules/notes/notes.ts:12:9)',
  ].join('\n');
  expect(errorLocation({ stack })).toBe('/srv/chowk/modules/notes/notes.ts:12');
  expect(errorLocation(new Error('here'))).toMatch(/error-location\.test\.ts:\d+$/);
  for (const none of [undefined, null, 'text', {}]) expect(errorLocation(none)).toBeUndefined();
});

test('the declaration of an action is found in the folder of its module', () => {
  expect(declarationIn(join(modules, 'webhooks'), 'webhooks.deliver')).toMatch(/modules\/webhooks\/deliver\.ts:\d+$/);
  expect(declarationIn(join(modules, 'webhooks'), 'webhooks.nothing')).toBeUndefined();
});
