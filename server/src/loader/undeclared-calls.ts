import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { consumedOperation, type Manifest } from './manifest.ts';

const comment = /^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm;
/** Also with type arguments, `bus?.call(…)` and `bus!.call(…)`. */
const busCall =
  /\bbus\s*[?!]?\.\s*(?:call|callIfInstalled|isInstalled)\s*(?:<[\s\S]{0,500}?>)?\s*(?:\?\.)?\(\s*([^\s,)]+)/g;
/** Resolvers call operations through their context. */
const resolverCall = /\.(?:call|load|list)\s*(?:<[\s\S]{0,500}?>)?\s*\(\s*('[^']*'|"[^"]*")/g;

/** The calls in a module's code that its manifest does not declare, or whose operation is not a string literal. */
export async function undeclaredCalls(folder: string, { alias, api }: Manifest): Promise<string[]> {
  const declared = new Set((api?.consumes ?? []).map((entry) => consumedOperation(entry).operation));
  const problems: string[] = [];
  for (const file of await sourceFiles(folder)) {
    const code = (await readFile(file, 'utf8')).replaceAll(comment, '');
    const calls = [...code.matchAll(busCall), ...(isResolver(file) ? code.matchAll(resolverCall) : [])];
    for (const [, argument = ''] of calls) {
      const operation = /^(['"])([^'"]+)\1$/.exec(argument)?.[2];
      const path = relative(folder, file);
      if (operation === undefined) {
        problems.push(`${path} calls an operation by an expression (${argument}); write its name as a string literal`);
      } else if (!operation.startsWith(`${alias}.`) && !declared.has(operation)) {
        problems.push(`${path} calls ${operation}; add it to api.consumes in module.json`);
      }
    }
  }
  return problems;
}

function isResolver(file: string): boolean {
  return /\/graphql\/[^/]+\.[jt]s$/.test(file);
}

async function sourceFiles(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths
    .filter((path) => /\.[jt]s$/.test(path) && !path.endsWith('.test.ts') && !/node_modules|^console\//.test(path))
    .sort()
    .map((path) => join(folder, path));
}
