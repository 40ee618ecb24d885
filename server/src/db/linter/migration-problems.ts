import type { Node } from 'libpg-query';
import { isConcurrent, type MigrationSource } from '../migrations.ts';
import { acceptedMigrations } from './accepted-migrations.ts';
import { FileObjects } from './file-objects.ts';
import { concurrentProblems, statementProblems } from './statement-problems.ts';

/** A statement that older versions of the module, which run on other rings, may not survive. */
export interface MigrationProblem {
  readonly owner: string;
  /** The name of the file. */
  readonly migration: string;
  readonly line: number;
  /** What is wrong and the additive way to do it. */
  readonly message: string;
}

/** The statements of migrations that are not additive. Objects that the same file creates can be changed at will. */
export async function migrationProblems(sources: readonly MigrationSource[]): Promise<MigrationProblem[]> {
  const files = sources.flatMap(({ owner, migrations }) => migrations.map((migration) => ({ owner, ...migration })));
  const checked = files.filter(({ owner, name, checksum }) => {
    const accepted = acceptedMigrations[`${owner}/${name}`];
    return accepted?.checksum !== checksum;
  });
  const problems = await Promise.all(
    checked.map(async ({ owner, name, text }) =>
      (await textProblems(text)).map((problem) => ({ owner, migration: name, ...problem })),
    ),
  );
  return problems.flat();
}

/** A problem on one line: `orders/0004_totals.sql:12: …`. */
export function describeProblem({ owner, migration, line, message }: MigrationProblem): string {
  return `${owner}/${migration}:${line}: ${message}`;
}

async function textProblems(text: string): Promise<{ line: number; message: string }[]> {
  // Loaded only when it is needed: most commands check no migration.
  const { parse, hasSqlDetails } = await import('libpg-query');
  try {
    const { stmts = [] } = await parse(text);
    const statements = stmts.map(({ stmt, stmt_location: at = 0 }) => ({ statement: stmt as Node, at }));
    if (isConcurrent(text)) {
      return concurrentProblems(statements.map(({ statement }) => statement)).map((message) => ({ line: 1, message }));
    }
    const objects = new FileObjects();
    return statements.flatMap(({ statement, at }, index) => {
      const later = statements.slice(index + 1).map((next) => next.statement);
      const found = statementProblems(statement, objects, later);
      objects.add(statement);
      return found.map((message) => ({ line: statementLine(text, at), message }));
    });
  } catch (error) {
    const at = hasSqlDetails(error) ? (error.sqlDetails?.cursorPosition ?? 0) : 0;
    return [{ line: lineAt(text, at), message: `PostgreSQL cannot parse it: ${(error as Error).message}` }];
  }
}

/** Positions count bytes and begin after the previous statement, before comments. */
function statementLine(text: string, at: number): number {
  const rest = Buffer.from(text).subarray(at).toString();
  const [skipped = ''] = /^(\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(rest) ?? [];
  return lineAt(text, at + Buffer.byteLength(skipped));
}

function lineAt(text: string, at: number): number {
  return Buffer.from(text).subarray(0, at).toString().split('\n').length;
}
