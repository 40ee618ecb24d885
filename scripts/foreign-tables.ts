import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

/* A module reaches the data of another one through its operations, never through its tables. */

interface Source {
  /** From the root. */
  readonly path: string;
  readonly module: string;
  readonly text: string;
}

/** A part of a source that is SQL, and where it begins. */
interface SqlText {
  readonly text: string;
  readonly start: number;
}

/** The places in the modules under this folder whose SQL names a table of another module. */
export async function foreignTables(folder: string): Promise<string[]> {
  const sources = await readSources(folder);
  const owners = tableOwners(sources);
  return sources.flatMap((source) => foreignNames(source, owners));
}

async function readSources(folder: string): Promise<Source[]> {
  const paths = (await readdir(folder, { recursive: true })).map((path) => path.replaceAll('\\', '/')).sort();
  const used = paths.filter(
    (path) =>
      !path.includes('node_modules/') && (/\/migrations\/[^/]+\.sql$/.test(path) || /(?<!\.test)\.ts$/.test(path)),
  );
  return Promise.all(
    used.map(async (path) => ({
      path,
      module: path.slice(0, path.indexOf('/')),
      text: await readFile(join(folder, path), 'utf8'),
    })),
  );
}

const createTable = /\bCREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/gi;

/** Two modules can have tables of one name: in the central database, and in those of tenants. */
function tableOwners(sources: readonly Source[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { path, module, text } of sources) {
    if (!path.endsWith('.sql')) continue;
    for (const [, table] of text.matchAll(createTable)) {
      owners.set(table as string, (owners.get(table as string) ?? new Set()).add(module));
    }
  }
  return owners;
}

/** A table follows one of these words, or another table after FROM, or is all of the SQL, as in a list: sql`orders o`. */
const tableName =
  /(?:\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|REFERENCES|ON|ONLY)|^|(?<=\bFROM\s+"?\w+"?(?:\s+(?:AS\s+)?\w+)?\s*),)\s*"?([a-z_]\w*)"?(?=\W|$)/gi;
const sqlComment = /--.*$|'(?:[^']|'')*'/gm;

function foreignNames({ path, module, text }: Source, owners: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const parts = path.endsWith('.sql') ? [{ text, start: 0 }] : sqlTemplates(text);
  return parts.flatMap((part) => {
    const code = part.text.replace(sqlComment, (found) => ' '.repeat(found.length));
    return [...code.matchAll(tableName)].flatMap((found) => {
      const table = found[1] as string;
      const others = owners.get(table);
      if (!others || others.has(module)) return [];
      const line = text.slice(0, part.start + found.index + found[0].lastIndexOf(table)).split('\n').length;
      return [`${path}:${line} uses the table ${table} of ${[...others].join(' and ')}; call one of its operations`];
    });
  });
}

/** The templates sql`…`, each without the values and templates inside it. */
function sqlTemplates(text: string): SqlText[] {
  const found: SqlText[] = [];
  for (const { index } of text.matchAll(/\bsql`/g)) {
    const start = index + 4;
    let template = '';
    for (let at = start; at < text.length && text[at] !== '`'; ) {
      const end = text.startsWith('${', at) ? endOfValue(text, at + 2) : at + 1;
      template += end === at + 1 ? text[at] : text.slice(at, end).replace(/[^\n]/g, ' ');
      at = end;
    }
    found.push({ text: template, start });
  }
  return found;
}

/** The position after the brace that closes a value of a template. */
function endOfValue(text: string, start: number): number {
  let at = start;
  for (let depth = 1; at < text.length && depth > 0; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (text[at] === '`') at = endOfTemplate(text, at + 1) - 1;
  }
  return at;
}

function endOfTemplate(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '`') at = text.startsWith('${', at) ? endOfValue(text, at + 2) : at + 1;
  return at + 1;
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const folder = join(root, 'modules');
  const problems = await foreignTables(folder);
  for (const problem of problems) console.error(join(relative(root, folder), problem));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
