import { type Db, type SystemCtx, sql } from '@chowk/kit';

export interface Activity {
  readonly action: string;
  /** The acting user; default: the caller. */
  readonly userId?: number | undefined;
  /** The affected user; default: the acting user; `null`: no user. */
  readonly subjectId?: number | null | undefined;
  /** Default: the tenant of the call. */
  readonly tenantId?: string | null | undefined;
  /** Must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Adds an entry to the activity log, in the transaction `db` of the change. */
export async function record(ctx: SystemCtx, activity: Activity, db: Db = ctx.central): Promise<void> {
  const { action, userId = ctx.userId, subjectId = userId, tenantId = ctx.tenantId, details = {} } = activity;
  const { address, userAgent } = ctx.client;
  await db.run(sql`
    INSERT INTO activity_log (id, at, tenant_id, user_id, action, subject_id, details, ip, user_agent, request_id)
    VALUES (${ctx.newId()}, ${ctx.now().toISOString()}, ${tenantId ?? null}, ${userId ?? null}, ${action},
      ${subjectId ?? null}, ${JSON.stringify(details)}, ${address || null}, ${userAgent?.slice(0, 500) ?? null},
      ${ctx.requestId})`);
}
