import { type Db, sql } from '@chowk/kit';
import { refuse } from './oauth-errors.ts';

/** What a scope may be written with (RFC 6749, 3.3). */
const written = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The permissions that a `scope` parameter names; `undefined` where it is left out. */
export function readScopes(scope: string | undefined): string[] | undefined {
  if (scope === undefined) return undefined;
  if (!written.test(scope))
    throw refuse('invalid_scope', { reason: 'it is no list of names with spaces between them' });
  return [...new Set(scope.split(' '))];
}

/** A token may be for less than its client was given, never for more. */
export function mustBeWithin(wanted: readonly string[] | undefined, given: readonly string[]): void {
  const beyond = wanted?.find((name) => !given.includes(name));
  if (beyond !== undefined) throw refuse('invalid_scope', { reason: `${beyond} was not given to this client` });
}

export async function mustBeKnown(central: Db, wanted: readonly string[] | undefined): Promise<void> {
  if (!wanted) return;
  const [unknown] = await unknownPermissions(central, wanted);
  if (unknown !== undefined) throw refuse('invalid_scope', { reason: `there is no permission ${unknown}` });
}

export async function unknownPermissions(central: Db, names: readonly string[]): Promise<string[]> {
  const rows = await central.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${names}::text[]) AS wanted(name)
    WHERE NOT EXISTS (SELECT 1 FROM permissions p WHERE p.name = wanted.name)`);
  return rows.map(({ name }) => name);
}

export async function listPermissions(central: Db): Promise<string[]> {
  const rows = await central.rows<{ name: string }>(sql`SELECT name FROM permissions ORDER BY name`);
  return rows.map(({ name }) => name);
}

/** What an answer says of the scope: nothing where the token may do all that its user may. */
export function scopeOf(scopes: readonly string[] | null | undefined): { scope?: string } {
  return scopes ? { scope: scopes.join(' ') } : {};
}
