import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repository } from '../src/loader/lock-path.ts';
import { temporaryFolder } from './chowkd.ts';

export interface NotesOptions {
  readonly version: string;
  /** Code of `hooks.ts` in place of hooks that write a row. */
  readonly hooks?: string;
  /** Further files by name, or others in place of those that a version has. */
  readonly files?: Readonly<Record<string, string>>;
  /** Fields of `module.json`. */
  readonly manifest?: object;
}

const defaultHooks = `
export const hooks: ModuleHooks = {
  async install(ctx) {
    await ctx.db.run(sql\`INSERT INTO notes (text) VALUES ('installed')\`);
  },
  async upgrade(ctx, { from, to }) {
    await ctx.db.run(sql\`INSERT INTO notes (text) VALUES (\${from + ' to ' + to})\`);
  },
  async uninstall(ctx) {
    await ctx.db.run(sql\`INSERT INTO notes (text) VALUES ('uninstalled')\`);
  },
};`;

/** Writes the sources of a module \`notes\`, whose route tells its version, into a new folder and returns its path. */
export async function writeNotes({ version, hooks = defaultHooks, files, manifest }: NotesOptions): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'module.json': JSON.stringify({
      name: 'Shop Notes',
      alias: 'notes',
      version,
      description: 'Notes, for a test.',
      compatibility: { platform: '^1.0.0' },
      auto_install: true,
      ...manifest,
    }),
    'module.ts': `
      import { defineModule } from '@chowk/kit';
      import { actions, events } from './actions.ts';
      import { hooks } from './hooks.ts';
      export const module = defineModule({ actions, events, hooks });`,
    'actions.ts': `
      import { action, defineEvent, Type } from '@chowk/kit';
      export const events = {
        'note.created': defineEvent({ summary: 'A note was created', payload: Type.Object({ text: Type.String() }) }),
      };
      export const actions = {
        'notes.version': action({
          summary: 'Get the version',
          http: 'GET /notes/version',
          public: true,
          tenant: 'required',
          bus: { rateLimit: 600 },
          output: Type.Object({ version: Type.String() }),
          run: async () => ({ version: '${version}' }),
        }),
      };`,
    'actions.test.ts': 'throw new Error("a test is not packed");',
    'hooks.ts': `import { type ModuleHooks, sql } from '@chowk/kit';\n${hooks}`,
    'migrations/0001_notes.sql':
      'CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);',
    'README.md': '# Notes',
    ...files,
  });
  return folder;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** A lock file with some modules of the repository. */
export async function writeLock(folder: string, ...aliases: string[]): Promise<string> {
  const lock = JSON.parse(await readFile(join(repository, 'modules/manifest.lock.json'), 'utf8'));
  const modules = Object.fromEntries(aliases.map((alias) => [alias, lock.modules[alias]]));
  const file = join(folder, 'test.lock.json');
  await writeFile(file, JSON.stringify({ ...lock, modules }));
  return file;
}
