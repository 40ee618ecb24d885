import { type Db, type Issues, type SystemCtx, sql } from '@chowk/kit';
import { fail } from '../errors.ts';

interface Grant {
  /** The field of the input that lists the permissions. */
  readonly field: string;
  readonly names: readonly string[];
  /** Names that are allowed anyway, such as permissions that were granted before. */
  readonly allowed?: readonly string[];
  /** The failure if the caller lacks one of them. */
  readonly refusal: 'identity.scope_not_held' | 'identity.permission_beyond_caller';
}

/** The order in which lists show the categories; others follow by name. */
const categories = [
  'customers',
  'orders',
  'products',
  'conversations',
  'notifications',
  'team',
  'settings',
  'modules',
  'graphql',
  'reseller',
  'audit',
  'platform',
];

/** The first word of the name, except that activity and reports belong to audit. */
export function findCategory(permission: string): string {
  const [subject = ''] = permission.split('.');
  return ['activity', 'reports'].includes(subject) ? 'audit' : subject;
}

/** Reseller and platform permissions have no effect in a merchant's tenant. */
export function hasEffectIn(permission: string, tenantRole: string): boolean {
  return tenantRole !== 'merchant' || !/^(reseller|platform)\./.test(permission);
}

/** Throws unless the caller holds every permission that it grants. */
export function mustHold(ctx: SystemCtx, grant: Grant): void {
  const permissions = listNotHeld(ctx, grant);
  if (permissions.length > 0) throw fail(grant.refusal, { permissions: summarize(permissions) });
}

/** Adds an issue for each permission that does not exist. If all exist, throws unless the caller holds them. */
export async function checkGrant(ctx: SystemCtx, grant: Grant, issues: Issues): Promise<void> {
  // A permission that does not exist is not held either.
  if (listNotHeld(ctx, grant).length === 0) return;
  if (await checkPermissions(ctx.central, grant, issues)) mustHold(ctx, grant);
}

function listNotHeld(ctx: SystemCtx, { names, allowed = [] }: Grant): string[] {
  return names.filter((name) => !allowed.includes(name) && !ctx.can(name));
}

/**
 * Throws if the role has a permission that the caller lacks. Permissions without effect in the tenant do not count:
 * not even the Owner of a merchant holds them.
 */
export function mustHoldRole(ctx: SystemCtx, { name, permissions }: { name: string; permissions: readonly string[] }) {
  const notHeld = permissions.filter((permission) => !ctx.can(permission) && hasEffectIn(permission, ctx.tenant.role));
  if (notHeld.length > 0) throw fail('identity.role_beyond_caller', { role: name, permissions: summarize(notHeld) });
}

/** Adds an issue for each permission that does not exist; returns whether all exist. */
export async function checkPermissions(
  db: Db,
  { field, names, allowed = [] }: Omit<Grant, 'refusal'>,
  issues: Issues,
): Promise<boolean> {
  const unknown = new Set(await unknownPermissions(db, names)).difference(new Set(allowed));
  for (const [index, name] of names.entries()) {
    if (unknown.has(name)) issues.add(`${field}.${index}`, `There is no permission ${name}.`, 'not_allowed');
  }
  return unknown.size === 0;
}

export async function unknownPermissions(db: Db, names: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${names}::text[]) AS requested(name)
    WHERE NOT EXISTS (SELECT FROM permissions p WHERE p.name = requested.name)`);
  return rows.map(({ name }) => name);
}

/** Those that the modules of this ring declare, by category; within a category in the order of the declarations. */
export async function listPermissions({ system }: SystemCtx) {
  const permissions = system.permissions.map(({ name, description, isSensitive }) => {
    return { name, category: findCategory(name), description, is_sensitive: isSensitive };
  });
  const rank = (category: string) => (categories.includes(category) ? categories.indexOf(category) : categories.length);
  return permissions.sort(
    (one, other) => rank(one.category) - rank(other.category) || one.category.localeCompare(other.category),
  );
}

const maxNames = 5;

/** For a message: the first few names and the number of the others. */
function summarize(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
