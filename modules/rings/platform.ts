import { type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import type { DatabaseServer } from './platform-schemas.ts';

export async function listJobs({ system }: SystemCtx, { failed = false }: { readonly failed?: boolean | undefined }) {
  const { rows, total } = await system.platform.listJobs({ onlyFailed: failed });
  return { jobs: [...rows], total };
}

export async function retryJob({ system }: SystemCtx, { id }: { readonly id: string }): Promise<void> {
  if ((await system.platform.retryJobs(id)) === 0) throw fail('rings.job_not_found');
}

export async function retryJobs({ system }: SystemCtx): Promise<{ retried: number }> {
  return { retried: await system.platform.retryJobs() };
}

export async function listServers({ system, central }: SystemCtx): Promise<DatabaseServer[]> {
  const counts = await central.rows<{ server: string; tenants: number }>(sql`
    SELECT database_server AS server, count(*)::int AS tenants FROM tenants GROUP BY 1`);
  const byServer = new Map(counts.map(({ server, tenants }) => [server, tenants]));
  const servers = await system.platform.listServers();
  return servers.map((server) => ({ ...server, tenants: byServer.get(server.name) ?? 0 }));
}
