import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { archiveServices } from '../operator/archive-services.ts';

const platform = await startPlatform();
const { rules } = await archiveServices(platform.kernel);
const { db } = await platform.tenant();

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

const columns = await db.rows<Column>(sql`
  SELECT table_name::text AS table, column_name::text AS name, udt_name::text AS type
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position`);
const names = (chosen: readonly Column[]) => chosen.map(({ table, name }) => `${table}.${name}`);

test('every column that a module declares for archives exists', () => {
  const declared = [...rules].flatMap(([table, { omit, users, sealed, active, file_urls }]) =>
    [
      ...Object.keys(typeof omit === 'object' ? omit : {}),
      ...Object.keys(users ?? {}),
      ...(sealed ? [sealed.field, ...sealed.columns] : []),
      ...(active ? [active] : []),
      ...(file_urls ?? []),
    ].map((name) => `${table}.${name}`),
  );
  expect(declared.filter((name) => !names(columns).includes(name))).toEqual([]);
});

test('every column with the id of a user is declared, so that an import does not take it for another user', () => {
  const isDeclared = ({ table, name }: Column) => name in (rules.get(table)?.users ?? {});
  // Ids of the tenant's own records are UUIDs.
  const ids = columns.filter(({ name, type }) => type === 'int8' && (name.endsWith('_id') || name.endsWith('_by')));
  expect(names(ids.filter((column) => !isDeclared(column)))).toEqual([]);
});

test('every secret is declared as sealed or left out', () => {
  const isDeclared = ({ table, name }: Column) => {
    const { omit, sealed } = rules.get(table) ?? {};
    return omit === true || sealed?.columns.includes(name);
  };
  const secrets = columns.filter(({ name, type }) => type === 'text' && /secret|password|token/.test(name));
  expect(secrets.length).toBeGreaterThan(0);
  expect(names(secrets.filter((column) => !isDeclared(column)))).toEqual([]);
});
