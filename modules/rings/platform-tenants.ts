import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Answer, byText, byTime, equals, filter, invalid, Line, list, type SystemCtx, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { PlatformTenant } from './platform-schemas.ts';

type ById = { readonly id: string };

const name = (description: string) => Type.String({ maxLength: 63, description });

const source = sql`(SELECT t.*, r.name AS ring, CASE WHEN m.id IS NOT NULL
    THEN json_build_object('server', m.target, 'step', m.step) END AS move
  FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id LEFT JOIN tenant_moves m ON m.tenant_id = t.id) t`;
const columns = sql`t.id, t.name, t.role, t.status, t.suspension_reason, t.ring, t.database_server, t.move, t.created_at,
  t.updated_at, ARRAY(SELECT d.domain FROM domains d WHERE d.tenant_id = t.id ORDER BY d.kind, d.domain) AS domains`;

export const platformTenantList = list({
  name: 'tenants',
  row: PlatformTenant,
  database: (ctx: SystemCtx) => ctx.central,
  from: source,
  alias: sql`t`,
  idType: 'text',
  columns,
  filters: {
    status: equals(PlatformTenant.properties.status, sql`t.status`),
    role: equals(PlatformTenant.properties.role, sql`t.role`),
    ring: equals(name('The name of a ring.'), sql`t.ring`),
    database_server: equals(name('The name of a database server.'), sql`t.database_server`),
    search: filter(
      Line(100, { description: 'A part of the name, the id or a domain.' }),
      (text) => sql`(strpos(lower(t.name || ' ' || t.id), lower(${text})) > 0
        OR EXISTS (SELECT FROM domains d WHERE d.tenant_id = t.id AND strpos(d.domain, lower(${text})) > 0))`,
    ),
  },
  sorts: { created_at: byTime(sql`t.created_at`), name: byText(sql`lower(t.name)`) },
});

export async function getTenant(ctx: SystemCtx, { id }: ById): Promise<PlatformTenant> {
  const tenant = await ctx.central.row<PlatformTenant>(sql`SELECT ${columns} FROM ${source} WHERE t.id = ${id}`);
  if (!tenant) throw fail('rings.tenant_not_found', { tenant: id });
  return tenant;
}

/** The tenant of the owner itself would be closed to those who could resume it. */
export async function suspendTenant(
  ctx: SystemCtx,
  { id, reason }: ById & { readonly reason?: string | undefined },
): Promise<PlatformTenant> {
  const { ring, role, status } = await getTenant(ctx, { id });
  if (role === 'platform_owner') throw fail('rings.own_tenant');
  if (!(await ctx.system.platform.suspend(id, reason ?? null)))
    throw fail('rings.tenant_state', { tenant: id, status });
  await record(ctx, 'suspend', { id, ring }, { reason });
  return getTenant(ctx, { id });
}

export async function resumeTenant(ctx: SystemCtx, { id }: ById): Promise<PlatformTenant> {
  const { ring, status } = await getTenant(ctx, { id });
  if (!(await ctx.system.platform.resume(id))) throw fail('rings.tenant_state', { tenant: id, status });
  await record(ctx, 'resume', { id, ring });
  return getTenant(ctx, { id });
}

/** Moves in the background; the list shows how far it is, and the history how it ended. */
export async function startMove(ctx: SystemCtx, { id, server }: ById & { readonly server: string }): Promise<void> {
  const tenant = await getTenant(ctx, { id });
  const servers = await ctx.system.platform.listServers();
  const target = servers.find((one) => one.name === server);
  if (!target || tenant.database_server === server) {
    const others = servers.map((one) => one.name).filter((one) => one !== tenant.database_server);
    throw invalid({ server: `Choose another database server: ${others.join(', ') || 'there is only one'}.` });
  }
  if (tenant.move || !['active', 'suspended'].includes(tenant.status)) {
    throw fail('rings.tenant_state', { tenant: id, status: tenant.move ? 'being moved' : tenant.status });
  }
  await ctx.centralTx((tx) =>
    ctx.system.addJob('rings.move_tenant', { tenantId: id, server, operator: operator(ctx) }, { tx }),
  );
}

/** Copies in the background: the copy is in the list, as `importing`, until it is complete. */
export async function startClone(
  ctx: SystemCtx,
  { id, new_id: newId }: ById & { readonly new_id: string },
): Promise<void> {
  await mustBeArchivable(ctx, id);
  const problem = await ctx.system.tenants.idProblem(newId);
  if (problem) throw invalid({ new_id: problem });
  await ctx.centralTx((tx) =>
    ctx.system.addJob('rings.clone_tenant', { tenantId: id, newId, operator: operator(ctx) }, { tx }),
  );
}

/** Written to a file first, so that a failure is not half of an archive. */
export async function exportTenant(ctx: SystemCtx, { id }: ById): Promise<Answer> {
  const { ring } = await mustBeArchivable(ctx, id);
  const folder = join(ctx.system.storagePath, 'exports');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${ctx.newId()}.zip`);
  const { bytes } = await ctx.system.platform.exportTenant(id, file);
  await record(ctx, 'export', { id, ring });
  const content = createReadStream(file);
  content.on('close', () => void rm(file, { force: true }));
  const day = ctx.now().toISOString().slice(0, 10);
  return new Answer(content, {
    headers: {
      'content-type': 'application/zip',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${id}-${day}.zip"`,
    },
  });
}

async function mustBeArchivable(ctx: SystemCtx, id: string): Promise<PlatformTenant> {
  const tenant = await getTenant(ctx, { id });
  if (!['active', 'suspended'].includes(tenant.status)) {
    throw fail('rings.tenant_state', { tenant: id, status: tenant.status });
  }
  const reason = await ctx.system.platform.archiveProblem(id);
  if (reason !== undefined) throw fail('rings.other_ring', { reason });
  return tenant;
}

export function operator({ user }: SystemCtx): string {
  return `user ${user.id}`;
}

async function record(
  ctx: SystemCtx,
  operation: string,
  { id, ring }: { readonly id: string; readonly ring: string },
  { reason }: { readonly reason?: string | undefined } = {},
): Promise<void> {
  await ctx.system.platform.recordOperation({ operator: operator(ctx), operation, ring, tenant_id: id, reason });
}
