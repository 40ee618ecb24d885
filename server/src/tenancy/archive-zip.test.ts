import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';

const folder = await mkdtemp(join(tmpdir(), 'chowk-zip-'));
afterAll(() => rm(folder, { recursive: true }));

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function readEntry(reader: ArchiveReader, name: string): Promise<string> {
  return reader.readText(name, 1_000_000);
}

test('what is written is read again', async () => {
  const path = join(folder, 'one.zip');
  const writer = await ArchiveWriter.open(path);
  await writer.add('tables/orders.copy', chunks('1\tone\n', '2\ttwo\n'));
  await writer.add('tables/empty.copy', chunks());
  expect(await readdir(folder)).not.toContain('one.zip');
  await writer.add('manifest.json', chunks('{}'));
  await writer.finish();
  expect(await readdir(folder)).toEqual(['one.zip']);
  const reader = await ArchiveReader.open(path);
  expect([...reader.entries.keys()]).toEqual(['tables/orders.copy', 'tables/empty.copy', 'manifest.json']);
  expect(await readEntry(reader, 'tables/orders.copy')).toBe('1\tone\n2\ttwo\n');
  expect(await readEntry(reader, 'tables/empty.copy')).toBe('');
  await reader.close();
});

test('an archive never replaces a file', async () => {
  const path = join(folder, 'taken.zip');
  await writeFile(path, 'precious');
  const writer = await ArchiveWriter.open(path);
  await expect(writer.finish()).rejects.toThrow(/EEXIST/);
  await writer.discard();
  expect(await readFile(path, 'utf8')).toBe('precious');
});
