import { describeProblem, migrationProblems } from '../server/src/db/linter/migration-problems.ts';
import { changedMigrations, findMigrations, readChecksums, readReleasedChecksums } from './migration-sources.ts';

/* Fails if a migration is not additive, because versions before and after it share the databases, or if it was changed. */

const sources = await findMigrations();
const problems = [
  ...new Set([
    ...changedMigrations(await readReleasedChecksums(), sources),
    ...changedMigrations(await readChecksums(), sources),
  ]),
  ...(await migrationProblems(sources)).map(describeProblem),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
