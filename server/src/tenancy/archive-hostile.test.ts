import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { sql } from '@chowk/kit/kernel';
import { beforeAll, expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { archiveFolder, filledTenant } from '../../testing/archives.ts';
import { uniqueId } from '../../testing/platform.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { type ZipPart, zip } from '../../testing/zip.ts';
import { archiveServices } from '../operator/archive-services.ts';
import { exportTenant } from './archive-export.ts';
import { importTenant } from './archive-import.ts';
import { type Manifest, Measure } from './archive-manifest.ts';
import { ArchiveReader } from './archive-reader.ts';
import { openArchive } from './archive-source.ts';
import { endRecords } from './archive-zip.ts';

const platform = await startAccounts();
const { kernel } = platform;
const services = await archiveServices(kernel);
const folder = await archiveFolder();

type GoodPart = ZipPart & { readonly content: Buffer };

/** The parts of a good archive. */
let good: GoodPart[];
let goodBytes: Buffer;

beforeAll(async () => {
  const { tenant } = await filledTenant(platform, { size: 5 });
  const path = join(folder, 'good.zip');
  await exportTenant(services, tenant.id, path);
  goodBytes = await readFile(path);
  const reader = await ArchiveReader.open(path);
  good = [];
  for (const name of reader.entries.keys()) {
    good.push({ name, content: Buffer.concat(await Array.fromAsync(reader.read(name))) });
  }
  await reader.close();
});

/** The good archive with one entry changed. */
function changed(name: string, change: (part: GoodPart) => Partial<ZipPart>): Buffer {
  return zip(good.map((part) => (part.name === name ? { ...part, ...change(part) } : part)));
}

function withManifest(change: (manifest: Manifest) => void): Buffer {
  return changed('manifest.json', ({ content }) => {
    const manifest = JSON.parse(content.toString());
    change(manifest);
    return { content: Buffer.from(JSON.stringify(manifest)) };
  });
}

/** Other rows for a table, with a manifest that describes them. */
async function withRows(table: string, rows: (text: string) => string): Promise<Buffer> {
  const content = Buffer.from(rows(good.find(({ name }) => name === `tables/${table}.copy`)?.content.toString() ?? ''));
  const measure = new Measure();
  await Array.fromAsync(measure.through([content].values() as never));
  const entries = good.map((part) => (part.name === `tables/${table}.copy` ? { ...part, content } : part));
  const manifest = JSON.parse(entries.find(({ name }) => name === 'manifest.json')?.content.toString() ?? '');
  Object.assign(
    manifest.tables.find((candidate: { name: string }) => candidate.name === table),
    measure.digest(),
  );
  return zip(
    entries.map((part) =>
      part.name === 'manifest.json' ? { ...part, content: Buffer.from(JSON.stringify(manifest)) } : part,
    ),
  );
}

const extra = (part: ZipPart) => zip([...good, part]);
const empty = Buffer.alloc(0);
const orders = 'tables/orders.copy';
const findTable = (manifest: Manifest, name: string) => manifest.tables.find((table) => table.name === name) as never;
const uuid = '00000000-0000-4000-8000-000000000000';

const archives: Record<string, [make: () => Buffer | Promise<Buffer>, message: RegExp]> = {
  'an empty file': [() => empty, /truncated, or not a ZIP file/],
  'random bytes': [() => randomBytes(5_000), /truncated, or not a ZIP file/],
  'an HTML page': [() => Buffer.from('<html>'.repeat(100)), /truncated, or not a ZIP file/],
  'the first half': [() => goodBytes.subarray(0, goodBytes.length / 2), /truncated/],
  'all but the last byte': [() => goodBytes.subarray(0, -1), /truncated/],
  'bytes after the end': [() => Buffer.concat([goodBytes, Buffer.from('more')]), /truncated/],
  'a directory that lies outside': [
    () => Buffer.concat([goodBytes.subarray(0, -98), endRecords({ count: 3, size: 500, offset: 1e12 })]),
    /damaged|truncated/,
  ],
  'a billion entries': [
    () => Buffer.concat([goodBytes, endRecords({ count: 1e9, size: 46e9, offset: 0 })]),
    /too many entries|truncated|damaged/,
  ],
  'a path out of the folder': [() => extra({ name: '../../etc/passwd', content: empty }), /unexpected entry/],
  'an absolute path': [() => extra({ name: '/etc/cron.d/x', content: empty }), /unexpected entry/],
  'a path with a backslash': [() => extra({ name: 'files\\..\\x', content: empty }), /unexpected entry/],
  'a path with a zero byte': [() => extra({ name: 'manifest.json\0.txt', content: empty }), /unexpected entry/],
  'a hidden traversal in a file name': [
    () => extra({ name: `files/products/../${uuid}`, content: empty }),
    /unexpected entry/,
  ],
  'a symbolic link': [
    () => extra({ name: `files/products/${uuid}`, content: Buffer.from('/etc/passwd'), mode: 0o120777 }),
    /not a regular file/,
  ],
  'a device': [() => extra({ name: `files/products/${uuid}`, content: empty, mode: 0o020666 }), /not a regular file/],
  'two manifests': [() => extra({ name: 'manifest.json', content: Buffer.from('{}') }), /manifest\.json twice/],
  'overlapping entries': [() => changed(orders, () => ({ offset: 0 })), /overlaps another entry/],
  'an encrypted entry': [() => changed(orders, () => ({ flags: 1 })), /is encrypted/],
  'an unknown compression': [() => changed(orders, () => ({ method: 14 })), /compressed in an unknown way/],
  'a bomb that admits its size': [
    () => extra({ name: `files/products/${uuid}`, content: empty, size: 10 * 2 ** 40 }),
    /implausibly large/,
  ],
  'a bomb of zeros': [
    () => extra({ name: `files/products/${uuid}`, content: Buffer.alloc(120_000_000) }),
    /its content has 11\d MB, unusually much for its size; if that is right, use --large/,
  ],
  'a bomb that hides its size': [
    () => changed(orders, () => ({ content: Buffer.alloc(50_000_000), size: 100 })),
    /orders\.copy is damaged/,
  ],
  'a manifest that is too large': [
    () => changed('manifest.json', () => ({ content: Buffer.alloc(65 * 1_048_576, ' ') })),
    /too large|unusually much/,
  ],
  'no manifest': [() => zip(good.filter(({ name }) => name !== 'manifest.json')), /manifest\.json is missing/],
  'a manifest that is not JSON': [
    () => changed('manifest.json', () => ({ content: Buffer.from('{') })),
    /not valid JSON/,
  ],
  'a manifest that is null': [
    () => changed('manifest.json', () => ({ content: Buffer.from('null') })),
    /manifest\.json/,
  ],
  'a format of the future': [
    () => withManifest((manifest) => void Object.assign(manifest, { format: 99 })),
    /has the format 99/,
  ],
  'a manifest with a wrong type': [
    () => withManifest((manifest) => void Object.assign(manifest, { tables: 'all' })),
    /manifest\.json: tables/,
  ],
  'an unknown migration': [
    () => withManifest(({ migrations }) => void migrations.push({ owner: 'evil', name: '0001_x.sql', checksum: 'x' })),
    /does not have its migrations evil\/0001_x\.sql/,
  ],
  'a changed migration': [
    () => withManifest(({ migrations }) => void Object.assign(migrations[0] as object, { checksum: 'other' })),
    /does not have its migrations/,
  ],
  'a missing table': [
    () =>
      withManifest(
        (manifest) => void Object.assign(manifest, { tables: manifest.tables.filter(({ name }) => name !== 'orders') }),
      ),
    /lacks the table orders/,
  ],
  'an unknown table': [
    () => withManifest((manifest) => void Object.assign(findTable(manifest, 'orders'), { name: 'pg_authid' })),
    /pg_authid .*is not in its migrations/,
  ],
  'a column with SQL in its name': [
    () =>
      withManifest(
        (manifest) => void Object.assign(findTable(manifest, 'orders'), { columns: ["id\") TO PROGRAM 'x'"] }),
      ),
    /is not in its migrations/,
  ],
  'a table without its rows': [() => zip(good.filter(({ name }) => name !== orders)), /orders\.copy is missing/],
  'a wrong checksum': [
    () => withManifest((manifest) => void Object.assign(findTable(manifest, 'orders'), { sha256: '0'.repeat(64) })),
    /orders\.copy is not what its manifest describes/,
  ],
  'a wrong number of rows': [
    () => withManifest((manifest) => void Object.assign(findTable(manifest, 'orders'), { rows: 1 })),
    /orders\.copy is not what its manifest describes/,
  ],
  'a changed byte': [
    () =>
      changed(orders, ({ content }) => ({ crc: crc32(content), content: Buffer.concat([Buffer.from('x'), content]) })),
    /damaged|refuses/,
  ],
  'rows that are not rows': [() => withRows('orders', () => 'x\n'), /PostgreSQL refuses the rows of orders/],
  'rows that refer to nothing': [
    () => withRows('order_items', (text) => text.replace(/\t[0-9a-f-]{36}\t/, `\t${uuid}\t`)),
    /PostgreSQL refuses the rows of order_items/,
  ],
  'an end of data among the rows': [() => withRows('customers', (text) => text.replace('\n', '\n\\.\n')), /customers/],
  'a file without a row': [
    () => extra({ name: `files/products/${uuid}`, content: Buffer.from('x') }),
    /has no row in stored_files/,
  ],
  'a file of another size': [
    () =>
      changed(good.find(({ name }) => name.startsWith('files/'))?.name ?? '', () => ({ content: Buffer.from('x') })),
    /does not have the size of its row/,
  ],
  'a damaged file': [
    () => changed(good.find(({ name }) => name.startsWith('files/'))?.name ?? '', () => ({ crc: 1 })),
    /files\/products\/\S+ is damaged/,
  ],
  'control characters for the terminal': [
    () => withManifest(({ domains }) => void domains.push({ domain: '\x1b[2J', kind: 'alias' })),
    /manifest\.json: domains/,
  ],
  'a missing file': [
    () => zip(good.filter(({ name }) => !name.startsWith('files/'))),
    /files are not what its manifest describes/,
  ],
};

async function state() {
  const tenants = await kernel.central.db.rows(sql`SELECT id, status FROM tenants ORDER BY id`);
  const names = await kernel.central.db.rows(sql`
    SELECT database_name FROM tenants WHERE EXISTS (SELECT FROM pg_database WHERE datname = database_name) ORDER BY 1`);
  return { tenants, names, files: await storedFiles(kernel) };
}

test.each(Object.keys(archives))(
  'an archive that is hostile or damaged is refused and changes nothing: %s',
  async (name) => {
    const [make, message] = archives[name] as (typeof archives)[string];
    const [path, id] = [join(folder, `${uniqueId()}.zip`), uniqueId()];
    await writeFile(path, await make());
    const before = await state();
    await expect(importTenant(services, path, { id })).rejects.toThrow(message);
    expect(await state()).toEqual(before);
    expect(await kernel.databases.exists(`tenant${id}`)).toBe(false);
  },
);

test.each(['../../x', 'UPPER', 'www', 'a'.repeat(64), ''])('an id that is no label is refused: %j', async (id) => {
  const path = join(folder, `${uniqueId()}.zip`);
  await writeFile(
    path,
    withManifest(({ tenant }) => void Object.assign(tenant, { id })),
  );
  await expect(importTenant(services, path)).rejects.toMatchObject({ extras: { errors: { id: expect.anything() } } });
});

test('an archive with very repetitive data can be read if the operator says so, and its manifest is still limited', async () => {
  const path = join(folder, `${uniqueId()}.zip`);
  await writeFile(
    path,
    changed('manifest.json', () => ({ content: Buffer.alloc(65 * 1_048_576, ' ') })),
  );
  await expect(openArchive(path)).rejects.toThrow('use --large');
  await expect(openArchive(path, { isLarge: true })).rejects.toThrow('manifest.json is too large');
});

test('an archive does not make a platform owner, an unknown setting or a system role', async () => {
  const [path, id] = [join(folder, `${uniqueId()}.zip`), uniqueId()];
  const file = withManifest((manifest) => {
    Object.assign(manifest.tenant, { role: 'platform_owner' });
    Object.assign(manifest.settings, { 'evil.setting': 1, 'general.timezone': 'Nowhere' });
    manifest.team.roles.push({ name: 'owner', description: '', permissions: ['orders.view', 'no.such_permission'] });
    manifest.domains.push({ domain: 'www', kind: 'alias' });
  });
  await writeFile(path, file);
  const { reports } = await importTenant(services, path, { id });
  expect(reports).toEqual(
    expect.arrayContaining([
      'the setting evil.setting has its default: its value is not accepted',
      'the setting general.timezone has its default: its value is not accepted',
      'the domain www is taken',
    ]),
  );
  expect(await kernel.central.db.row(sql`SELECT role FROM tenants WHERE id = ${id}`)).toEqual({ role: 'merchant' });
  const roles = await kernel.central.db.rows(sql`SELECT name FROM roles WHERE tenant_id = ${id}`);
  expect(roles).toEqual([{ name: 'Packer' }]);
});
