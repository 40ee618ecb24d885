import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The licences of the npm packages that these files belong to, as one text; `undefined` if there are none. */
export async function describeLicences(files: readonly string[]): Promise<string | undefined> {
  const folders = new Set(files.map(packageRoot).filter((folder) => folder !== undefined));
  const texts = await Promise.all([...folders].map(describeLicence));
  return texts.length === 0 ? undefined : [...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the npm package that a file belongs to. */
export function packageRoot(file: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

async function describeLicence(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const title = `${name} ${version} (${typeof license === 'string' ? license : 'see below'})`;
  return [title, ...texts.map((text) => text.replaceAll('\r\n', '\n').trim()), ''].join('\n\n');
}
