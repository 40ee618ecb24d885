import { type Db, sql } from '@chowk/kit/kernel';
import { countOf } from '../count-of.ts';
import { findOwnLabels } from './domains.ts';
import { ringLabelProblem } from './labels.ts';
import { type Ring, requireRing } from './rings.ts';

export type NewRing = Pick<
  Ring,
  'name' | 'display_name' | 'description' | 'manifest_path' | 'k8s_namespace' | 'k8s_service' | 'hostname_segment'
> & {
  /** Default: one more than the highest. */
  readonly promotion_order?: number | undefined;
};

/** Throws for the operator if the name or the hostname segment cannot be used. */
export async function insertRing(tx: Db, ring: NewRing): Promise<void> {
  await checkLabels(tx, ring);
  const { promotion_order: order = null } = ring;
  await tx.run(sql`
    INSERT INTO module_rings (name, display_name, description, manifest_path, k8s_namespace, k8s_service, hostname_segment,
      promotion_order)
    SELECT ${ring.name}, ${ring.display_name}, ${ring.description}, ${ring.manifest_path}, ${ring.k8s_namespace},
      ${ring.k8s_service}, ${ring.hostname_segment}, coalesce(${order}::int, max(promotion_order) + 1, 0) FROM module_rings`);
}

async function checkLabels(tx: Db, { name, hostname_segment: segment }: NewRing): Promise<void> {
  const [wrongName, wrongSegment] = [ringLabelProblem(name), ringLabelProblem(segment)];
  if (wrongName) throw new Error(`${name} cannot be the name of a ring: ${wrongName}`);
  if (wrongSegment) throw new Error(`${segment} cannot be a hostname segment: ${wrongSegment}; set --hostname-segment`);
  const other = await tx.row<{ name: string }>(sql`
    SELECT name FROM module_rings WHERE name = ${name} OR hostname_segment = ${segment} ORDER BY name = ${name} DESC LIMIT 1`);
  if (other?.name === name) throw new Error(`there is a ring ${name} already`);
  if (other)
    throw new Error(`the ring ${other.name} has the hostname segment ${segment}; set another --hostname-segment`);
  if ((await findOwnLabels(tx)).has(segment)) {
    throw new Error(`${segment} is a part of the host name of APP_URL; set another --hostname-segment`);
  }
  const domain = await tx.row<{ tenant: string }>(sql`
    SELECT tenant_id AS tenant FROM domains WHERE domain = ${segment}`);
  if (domain) throw new Error(`the tenant ${domain.tenant} has the domain ${segment}; set another --hostname-segment`);
}

/** Returns whether the ring was inactive. */
export async function activateRing(tx: Db, name: string): Promise<boolean> {
  const ring = await lockRing(tx, name);
  await tx.run(
    sql`UPDATE module_rings SET is_active = true, updated_at = now() WHERE id = ${ring.id} AND NOT is_active`,
  );
  return !ring.is_active;
}

/** Returns whether the ring was active. A ring with tenants, and the default ring, stay active. */
export async function deactivateRing(tx: Db, name: string): Promise<boolean> {
  const ring = await lockRing(tx, name);
  if (ring.is_default) {
    throw new Error(
      `${name} is the default ring; make another one the default first, with 'chowkd ring:default <ring>'`,
    );
  }
  if (ring.tenants > 0) {
    throw new Error(
      `${name} has ${countOf(ring.tenants, 'tenant')}; assign them to other rings first: 'chowkd ring:show ${name} --tenants' lists them`,
    );
  }
  await tx.run(sql`UPDATE module_rings SET is_active = false, updated_at = now() WHERE id = ${ring.id} AND is_active`);
  return ring.is_active;
}

/** New tenants get the ring. Returns the default ring before. */
export async function setDefaultRing(tx: Db, name: string): Promise<string | undefined> {
  // Otherwise two commands at once could both find the same ring to replace.
  await tx.run(sql`SELECT FROM module_rings WHERE is_default FOR UPDATE`);
  const ring = await lockRing(tx, name);
  if (!ring.is_active) throw new Error(`${name} is not active; run 'chowkd ring:activate ${name}' first`);
  const before = await tx.row<{ name: string }>(sql`
    UPDATE module_rings SET is_default = false, updated_at = now() WHERE is_default RETURNING name`);
  await tx.run(sql`UPDATE module_rings SET is_default = true, updated_at = now() WHERE id = ${ring.id}`);
  return before?.name;
}

/** The ring, which no other transaction changes and no tenant is assigned to until this one ends. */
export async function lockRing(tx: Db, name: string): Promise<Ring> {
  await tx.run(sql`SELECT FROM module_rings WHERE name = ${name} FOR UPDATE`);
  return requireRing(tx, name);
}
