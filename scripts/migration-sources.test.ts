import { expect, test } from 'vitest';
import {
  addChecksums,
  changedMigrations,
  findMigrations,
  readChecksums,
  readReleasedChecksums,
} from './migration-sources.ts';

const sources = await findMigrations();

test('every migration of the repository is recorded, and none was changed', async () => {
  const recorded = await readChecksums();
  expect(changedMigrations(recorded, sources)).toEqual([]);
  expect(addChecksums(recorded, sources)).toEqual(recorded);
});

test('a released migration cannot change, even if its recorded checksum does', async () => {
  const released = await readReleasedChecksums();
  expect(changedMigrations(released, sources)).toEqual([]);
  const edited = sources.map((source) => ({
    ...source,
    migrations: source.migrations.map((migration) =>
      migration.name === '0001_tenancy.sql' ? { ...migration, checksum: 'edited' } : migration,
    ),
  }));
  expect(changedMigrations(addChecksums({}, edited), edited)).toEqual([]);
  expect(changedMigrations(released, edited)).toEqual([
    expect.stringContaining('server/migrations/central/0001_tenancy.sql was changed'),
  ]);
});

test('a migration that was changed or removed is found; a new one is added', () => {
  const [first, ...others] = sources;
  const [migration, ...rest] = first?.migrations ?? [];
  if (!first || !migration) throw new Error('there is no migration');
  const recorded = addChecksums({}, [first]);
  const path = `${first.folder}/${migration.name}`;
  const changed = { ...first, migrations: [{ ...migration, checksum: 'other' }, ...rest] };
  expect(changedMigrations(recorded, [changed, ...others])).toEqual([expect.stringContaining(`${path} was changed`)]);
  expect(changedMigrations(recorded, [{ ...first, migrations: rest }])).toEqual([
    expect.stringContaining(`${path} is missing`),
  ]);
  expect(addChecksums({ [path]: 'released' }, [first])).toEqual({ ...recorded, [path]: 'released' });
});
