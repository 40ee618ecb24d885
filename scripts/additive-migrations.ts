import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeProblem, migrationProblems } from '../server/src/db/linter/migration-problems.ts';
import { readMigrations } from '../server/src/db/migrations.ts';
import { findModules } from '../server/src/loader/load-modules.ts';
import { root } from './run.ts';

/* Fails if a migration is not additive: rings with older versions share the databases. */

const folders = [
  { owner: 'kernel', folder: join(root, 'server/migrations/central') },
  { owner: 'kernel', folder: join(root, 'server/migrations/tenant') },
  ...(await findModules()).map(({ folder, manifest }) => ({
    owner: manifest.alias,
    folder: join(folder, 'migrations'),
  })),
];
const sources = folders
  .filter(({ folder }) => existsSync(folder))
  .map(({ owner, folder }) => readMigrations(owner, folder));
const problems = await migrationProblems(await Promise.all(sources));
for (const problem of problems) process.stderr.write(`${describeProblem(problem)}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
