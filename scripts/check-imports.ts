import { glob, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';
import { importRules, runsWithoutDevelopment } from './import-rules.ts';
import { root } from './run.ts';

/** What each file imports: the path of a file from the root, or `npm:` and the name of a package. */
type Imports = ReadonlyMap<string, readonly string[]>;

interface Package {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const folders = ['kit', 'client', 'cli', 'web', 'server', 'modules', 'e2e', 'bench', 'scripts'];

/** What is wrong with the imports of these sources, by path from the root; packages by their folder. */
export function importProblems(sources: ReadonlyMap<string, string>, packages: ReadonlyMap<string, Package>): string[] {
  const exported = new Map(
    [...packages].flatMap(([folder, { name, exports = {} }]) =>
      Object.entries(exports).map(([path, file]) => [join(`${name}`, path), join(folder, file)]),
    ),
  );
  const imports = new Map(
    [...sources].map(([path, text]) => [
      path,
      importedNames(path, text)
        .filter((name) => !isBuiltin(name))
        .map((name) => (name.startsWith('.') ? join(dirname(path), name) : (exported.get(name) ?? `npm:${name}`))),
    ]),
  );
  return [...brokenRules(imports), ...circles(imports), ...missingDependencies(imports, packages)];
}

/** What a source imports, types included: a type ties two files to each other as a function does. */
function importedNames(path: string, text: string): string[] {
  const { module } = parseSync(path, text);
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      text
        .slice(moduleRequest.start, moduleRequest.end)
        .match(/^(['"])(.*)\1$/)
        ?.at(2),
    ),
  ];
  return [...new Set(names.filter((name) => name !== undefined))];
}

function brokenRules(imports: Imports): string[] {
  return [...imports].flatMap(([from, targets]) => {
    const rules = importRules.filter((rule) => rule.from.test(from) && !rule.notFrom?.test(from));
    return targets.flatMap((to) =>
      rules
        .filter((rule) => rule.to.test(to) && !(rule.exceptWithin && to.startsWith(rule.exceptWithin(from))))
        .map(({ name }) => `${from} imports ${to}: ${name}`),
    );
  });
}

function circles(imports: Imports): string[] {
  const found: string[] = [];
  const visited = new Set<string>();
  const path = new Set<string>();
  function visit(file: string): void {
    if (path.has(file)) {
      const files = [...path];
      found.push(`a circle of imports: ${[...files.slice(files.indexOf(file)), file].join(' → ')}`);
    }
    if (visited.has(file)) return;
    visited.add(file);
    path.add(file);
    for (const next of imports.get(file) ?? []) visit(next);
    path.delete(file);
  }
  for (const file of imports.keys()) visit(file);
  return found;
}

function missingDependencies(imports: Imports, packages: ReadonlyMap<string, Package>): string[] {
  return [...imports].flatMap(([from, targets]) => {
    if (!runsWithoutDevelopment.from.test(from) || runsWithoutDevelopment.notFrom.test(from)) return [];
    const folder = owningFolder(from, packages);
    const { dependencies, optionalDependencies, peerDependencies } = packages.get(folder) ?? {};
    const installed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    return targets
      .filter((to) => to.startsWith('npm:') && !(packageName(to) in installed))
      .map((to) => `${from} imports ${to}: not among the dependencies of ${join(folder, 'package.json')}`);
  });
}

function owningFolder(path: string, packages: ReadonlyMap<string, unknown>): string {
  const folder = dirname(path);
  return packages.has(folder) ? folder : owningFolder(folder, packages);
}

function packageName(imported: string): string {
  return /^npm:(@[^/]+\/)?([^/]+)/.exec(imported)?.slice(1).join('') ?? '';
}

async function readSources(within: string): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  const exclude = ['**/node_modules/**', 'web/dist/**', 'bench/graphql-peers/**'];
  for await (const path of glob(`${within}/**/*.{ts,tsx}`, { cwd: root, exclude })) {
    sources.set(path, await readFile(join(root, path), 'utf8'));
  }
  return sources;
}

async function readPackages(): Promise<Map<string, Package>> {
  const packages = new Map<string, Package>();
  for await (const path of glob('{,*/,modules/*/}package.json', { cwd: root })) {
    packages.set(dirname(path), JSON.parse(await readFile(join(root, path), 'utf8')));
  }
  return packages;
}

if (import.meta.main) {
  const [within = `{${folders.join(',')}}`] = process.argv.slice(2);
  const problems = importProblems(await readSources(within), await readPackages());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
