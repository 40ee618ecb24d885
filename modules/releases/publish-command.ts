import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ModuleCommand, UsageError } from '@chowk/kit';
import { valid } from 'semver';
import { readKey, readKeys } from './key-files.ts';
import { publishFolder } from './publish.ts';

export const releasesPublishCommand: ModuleCommand = {
  name: 'releases:publish',
  usage:
    '<folder> [--channel=<name>] [--min-supported=<version>] [--notes=<Markdown file>] [--notes-url=<url>] [--key=<file>] [--json]',
  summary: 'write the signed manifest and the checksums of a folder with archives of the command-line client',
  options: {
    channel: { type: 'string', default: 'stable' },
    'min-supported': { type: 'string' },
    notes: { type: 'string' },
    'notes-url': { type: 'string', default: '' },
    key: { type: 'string' },
  },
  positionals: { min: 1, max: 1 },
  async run({ system, now }, { positionals: [folder = ''], options }, { say, table, progress }) {
    const minSupported = options['min-supported'] === undefined ? undefined : String(options['min-supported']);
    if (minSupported !== undefined && valid(minSupported) === null) {
      throw new UsageError(`--min-supported must be a version such as 1.0.0, not ${minSupported}`);
    }
    const keys = options.key === undefined ? await readKeys(system) : [await readKey(String(options.key))];
    if (keys.length === 0) progress("The manifest is not signed; 'chowkd releases:key --new' makes a key.");
    const manifest = await publishFolder(resolve(folder), {
      channel: String(options.channel),
      minSupported,
      notes: options.notes === undefined ? '' : await readFile(String(options.notes), 'utf8'),
      notesUrl: String(options['notes-url']),
      now: now(),
      keys,
    });
    const rows = manifest.releases.map(({ version, released_at, assets, signatures = [] }) => ({
      version,
      released_at,
      files: assets.length,
      signed_by: signatures.map(({ key }) => key),
    }));
    table(rows, '');
    if (!options.json) say(`Wrote MANIFEST.json and SHA256SUMS.txt in ${resolve(folder)}. Latest: ${manifest.latest}.`);
  },
};
