import { type Db, Issues, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';

interface Granted {
  /** The field of the input that names them. */
  readonly field: string;
  readonly names: readonly string[];
  /** Those that were granted before and may stay. */
  readonly before?: readonly string[];
}

type Refusal = 'identity.scope_not_held' | 'identity.permission_beyond_caller';

/** Whoever grants permissions must hold them. Nobody holds one that does not exist, so that is looked up only then. */
export async function mustHold(ctx: SystemCtx, db: Db, granted: Granted, refusal: Refusal): Promise<void> {
  const { names, before = [] } = granted;
  const beyond = names.filter((name) => !before.includes(name) && !ctx.can(name));
  if (beyond.length === 0) return;
  const issues = new Issues();
  await explainPermissions(db, granted, issues);
  issues.throwIfAny();
  throw fail(refusal, { permissions: listOf(beyond) });
}

/**
 * Nobody assigns, takes away or changes a role that may do more in this tenant than the caller. What has no effect in
 * the tenant does not count: not even an Owner of a merchant holds it.
 */
export function mustHoldRole(ctx: SystemCtx, { name, permissions }: { name: string; permissions: readonly string[] }) {
  const { actsIn } = ctx.system.permissions;
  const beyond = permissions.filter((one) => !ctx.can(one) && actsIn(one, ctx.tenant.role));
  if (beyond.length > 0) throw fail('identity.role_beyond_caller', { role: name, permissions: listOf(beyond) });
}

/** Adds an issue for each permission that does not exist. */
export async function explainPermissions(db: Db, { field, names }: Granted, issues: Issues): Promise<void> {
  const unknown = new Set(await unknownPermissions(db, names));
  for (const [index, name] of names.entries()) {
    if (unknown.has(name)) issues.add(`${field}.${index}`, `There is no permission ${name}.`, 'not_allowed');
  }
}

export async function unknownPermissions(db: Db, names: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${names}::text[]) AS wanted(name)
    WHERE NOT EXISTS (SELECT FROM permissions p WHERE p.name = wanted.name)`);
  return rows.map(({ name }) => name);
}

export function listPermissions({ central, system }: SystemCtx) {
  const order = system.permissions.catalogue.map(({ name }) => name);
  return central.rows<{ name: string; category: string; is_sensitive: boolean }>(sql`
    SELECT name, category, is_sensitive FROM permissions
    ORDER BY array_position(${order}::text[], name), category, name`);
}

const mostNamed = 5;

/** For a message: the first few, and how many more. */
function listOf(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
