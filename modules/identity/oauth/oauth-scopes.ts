import { type Db, sql } from '@chowk/kit';
import { unknownPermissions } from '../accounts/permissions.ts';
import { refuse } from './oauth-errors.ts';

/** RFC 6749, 3.3. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The permissions in a `scope` parameter; `undefined` if it is omitted. */
export function readScopes(scope: string | undefined): string[] | undefined {
  if (scope === undefined) return undefined;
  if (!scopePattern.test(scope)) throw refuse('invalid_scope', { reason: 'it must be names separated by spaces' });
  return [...new Set(scope.split(' '))];
}

/** A token must not have more scopes than its client. */
export function mustBeWithin(requested: readonly string[] | undefined, granted: readonly string[]): void {
  const beyond = requested?.find((name) => !granted.includes(name));
  if (beyond !== undefined) throw refuse('invalid_scope', { reason: `${beyond} is not granted to this client` });
}

export async function mustBeKnown(central: Db, requested: readonly string[] | undefined): Promise<void> {
  if (!requested) return;
  const [unknown] = await unknownPermissions(central, requested);
  if (unknown !== undefined) throw refuse('invalid_scope', { reason: `there is no permission ${unknown}` });
}

export async function listPermissionNames(central: Db): Promise<string[]> {
  const rows = await central.rows<{ name: string }>(sql`SELECT name FROM permissions ORDER BY name`);
  return rows.map(({ name }) => name);
}

/** The `scope` of a token response; absent if the token is not limited. */
export function formatScope(scopes: readonly string[] | null | undefined): { scope?: string } {
  return scopes ? { scope: scopes.join(' ') } : {};
}
