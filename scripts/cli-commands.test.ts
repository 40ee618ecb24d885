import { action, NamedObject, Nullable, signedIn, Type, UploadedFile, Uuid } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { registerActions } from '../server/src/actions/registry.ts';
import { cliCommands } from './cli-commands.ts';

const run = async () => undefined as never;
const common = { needs: signedIn, run } as const;
const Note = NamedObject('Note', { id: Uuid, text: Type.String() });

function derive(actions: Parameters<typeof registerActions>[0], group = 'notes') {
  const files = cliCommands(registerActions(actions, { module: 'notes', tag: 'Notes' }));
  const text = files[`cli/src/generated/${group}.ts`] ?? '';
  return JSON.parse(text.slice(text.indexOf('= [') + 2, text.lastIndexOf(';')));
}

test('path parameters are arguments, and fields are options with their types', () => {
  const input = Type.Object({
    id: Uuid,
    text: Type.String({ description: 'What it says.' }),
    colour: Type.Optional(Type.Enum(['red', 'blue'])),
    count: Type.Integer({ default: 1 }),
    note: Type.Optional(Nullable(Type.String())),
    author: Type.Optional(NamedObject('Author', { first_name: Type.String(), age: Type.Optional(Type.Integer()) })),
    lines: Type.Optional(Type.Array(NamedObject('Line', { name: Type.String(), quantity: Type.Integer() }))),
    password: Type.String(),
  });
  const http = 'PATCH /notes/:id';
  const answer = { key: 'note', message: 'Updated.' };
  expect(
    derive({ 'notes.update': action({ ...common, summary: 'Update a note', http, input, output: Note, answer }) }),
  ).toEqual([
    {
      words: ['notes', 'update'],
      action: 'notes.update',
      summary: 'Update a note',
      arguments: [{ name: 'id', help: 'The id.', isRequired: true }],
      options: [
        { name: 'text', help: 'What it says.', isRequired: true },
        { name: 'colour', help: 'The colour.', choices: ['red', 'blue'] },
        { name: 'count', help: 'The count. Default: 1.', type: 'integer' },
        { name: 'note', help: 'The note.' },
        { name: 'author.first_name', help: 'The first name.' },
        { name: 'author.age', help: 'The age.', type: 'integer' },
        {
          name: 'lines',
          help: 'The lines. JSON, or name=value,… with the fields name, quantity.',
          type: 'record',
          isList: true,
          types: { quantity: 'integer' },
        },
      ],
      secrets: ['password'],
      key: 'note',
    },
  ]);
});

test('names of actions become words', () => {
  const names = ['notes.get', 'notes.listVips', 'notes.updateStatus', 'notes.markAllRead'];
  const actions = names.map((name, index) => [name, action({ ...common, summary: 'Do', http: `GET /notes/${index}` })]);
  expect(derive(Object.fromEntries(actions)).map(({ words }: { words: string[] }) => words[1])).toEqual([
    'mark-all-read',
    'show',
    'status',
    'vips',
  ]);
});

test('files are arguments, and what is downloaded says so', () => {
  const file = UploadedFile({ types: ['application/pdf'], maxBytes: 10 });
  const [attach, exported] = derive({
    'notes.attach': action({
      ...common,
      summary: 'Attach',
      http: 'POST /notes',
      accepts: 'multipart',
      input: Type.Object({ file }),
    }),
    'notes.export': action({ ...common, summary: 'Export', http: 'GET /notes', file: ['text/csv'] }),
  });
  expect(attach).toMatchObject({ arguments: [{ name: 'file', type: 'file' }], format: 'multipart' });
  expect(exported).toMatchObject({ format: 'file' });
});

test('two actions that would be one command are refused, and so is a field with the name of a common option', () => {
  const show = (http: 'GET /a' | 'GET /b') => action({ ...common, summary: 'Get', http });
  expect(() => derive({ 'notes.get': show('GET /a'), 'notes.show': show('GET /b') })).toThrow(
    /notes.get and notes.show/,
  );
  const input = Type.Object({ tenant: Type.String() });
  expect(() => derive({ 'notes.add': action({ ...common, summary: 'Add', http: 'POST /a', input }) })).toThrow(
    /the field tenant of notes.add/,
  );
});
