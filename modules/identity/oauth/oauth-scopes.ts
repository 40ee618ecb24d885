import { type Db, sql } from '@chowk/kit';
import { unknownPermissions } from '../accounts/permissions.ts';
import { refuse } from './oauth-errors.ts';

/** RFC 6749, 3.3. */
const written = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The permissions that a `scope` parameter names; `undefined` where it is left out. */
export function readScopes(scope: string | undefined): string[] | undefined {
  if (scope === undefined) return undefined;
  if (!written.test(scope)) throw refuse('invalid_scope', { reason: 'it must be names separated by spaces' });
  return [...new Set(scope.split(' '))];
}

/** A token may be limited to less than its client has, never to more. */
export function mustBeWithin(wanted: readonly string[] | undefined, granted: readonly string[]): void {
  const beyond = wanted?.find((name) => !granted.includes(name));
  if (beyond !== undefined) throw refuse('invalid_scope', { reason: `${beyond} is not granted to this client` });
}

export async function mustBeKnown(central: Db, wanted: readonly string[] | undefined): Promise<void> {
  if (!wanted) return;
  const [unknown] = await unknownPermissions(central, wanted);
  if (unknown !== undefined) throw refuse('invalid_scope', { reason: `there is no permission ${unknown}` });
}

export async function listPermissionNames(central: Db): Promise<string[]> {
  const rows = await central.rows<{ name: string }>(sql`SELECT name FROM permissions ORDER BY name`);
  return rows.map(({ name }) => name);
}

/** The `scope` of an answer: absent where the token may do all that its user may. */
export function scopeOf(scopes: readonly string[] | null | undefined): { scope?: string } {
  return scopes ? { scope: scopes.join(' ') } : {};
}
