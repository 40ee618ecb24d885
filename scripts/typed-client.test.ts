import { action, extend, NamedObject, named, signedIn, Type, UploadedFile, Uuid } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { registerActions } from '../server/src/actions/registry.ts';
import { typedClient } from './typed-client.ts';

const Note = NamedObject('Note', {
  id: Uuid,
  text: Type.String({ description: 'What it says.' }),
  pinned: Type.Boolean({ default: false }),
  author: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const NewNote = NamedObject('NewNote', {
  text: Type.String(),
  colour: Type.Optional(Type.Enum(['red', 'blue'])),
  pinned: Type.Boolean({ default: false }),
});
const run = async () => undefined as never;
const common = { needs: signedIn, run } as const;

const actions = registerActions(
  {
    'notes.create': action({
      ...common,
      summary: 'Create a note',
      description: 'A note is short.',
      http: 'POST /notes',
      input: NewNote,
      output: Note,
      answer: { key: 'note', message: 'Created.' },
    }),
    'notes.update': action({
      ...common,
      summary: 'Update a note',
      http: 'PATCH /notes/:id',
      input: named('NoteChanges', extend(NewNote, { id: Uuid })),
      output: Note,
    }),
    'notes.attach': action({
      ...common,
      summary: 'Attach a file',
      http: 'POST /notes/:id/file',
      accepts: 'multipart',
      input: Type.Object({ id: Uuid, file: UploadedFile({ types: ['application/pdf'], maxBytes: 10 }) }),
    }),
    'notes.export': action({
      ...common,
      summary: 'Export notes',
      http: 'GET /notes/export',
      input: Type.Object({ search: Type.Optional(Type.String()) }),
      file: ['text/csv'],
    }),
    'old-notes.clear': action({ ...common, summary: 'Clear', http: 'DELETE /old', root: true }),
    'notes.page': action({ ...common, summary: 'Show a page', http: 'GET /page', webPage: true }),
  },
  { module: 'notes', tag: 'Notes' },
);
const { 'client/src/api.ts': api = '', 'client/src/routes.ts': routes = '' } = typedClient(actions, []);

test('each action becomes a function with its documentation and types', () => {
  expect(api).toContain(`
    /**
     * Create a note.
     * A note is short.
     * Available to every signed-in user.
     * \`POST /api/v1/notes\`
     */
    readonly create: Call<NewNote, { readonly message: string; readonly note: Note }>;
`);
  expect(api).toContain('readonly update: Call<NoteChanges & { readonly id: string }, Note>;');
  expect(api).toContain('readonly export: Call<NotesExportInput, Response>;');
  expect(api).toContain(`readonly 'old-notes': {`);
  expect(api).toContain('readonly clear: Call<object, void>;');
  expect(api).not.toContain('page');
});

test('a field with a default is optional in an input and present in an output', () => {
  expect(api).toContain(`export type NewNote = {
  readonly text: string;
  readonly colour?: 'red' | 'blue' | undefined;
  /** Default: false. */
  readonly pinned?: boolean | undefined;
};
`);
  expect(api).toContain(`export type Note = {
  readonly id: string;
  /** What it says. */
  readonly text: string;
  readonly pinned: boolean;
  readonly author?: string | null;
};
`);
});

test('an uploaded file is a Blob', () => {
  expect(api).toMatch(/export type NotesAttachInput = \{[^}]*readonly file: Blob;\n\};/);
});

test('the table has the route of each action, with what differs from the rule', () => {
  expect(routes).toContain(`export const routes = {
  notes: {
    create: 'POST notes',
    update: 'PATCH notes/:id',
    attach: 'POST notes/:id/file multipart',
    export: 'GET notes/export file',
  },
  'old-notes': {
    clear: 'DELETE /old',
  },
} as const;
`);
});
