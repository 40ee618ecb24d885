import { type Db, type SystemCtx, sql } from '@chowk/kit';

export interface Activity {
  readonly action: string;
  /** Who did it; the caller unless said otherwise. */
  readonly userId?: number | undefined;
  /** Whom it was done to; the one who did it unless said otherwise, `null` for nobody with an account. */
  readonly subjectId?: number | null | undefined;
  /** The tenant it was done in; the one the call is bound to unless said otherwise. */
  readonly tenantId?: string | null | undefined;
  /** Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes down what was done, in the same transaction. */
export async function record(ctx: SystemCtx, activity: Activity, db: Db = ctx.central): Promise<void> {
  const { action, userId = ctx.userId, subjectId = userId, tenantId = ctx.tenantId, details = {} } = activity;
  const { address, userAgent } = ctx.client;
  await db.run(sql`
    INSERT INTO activity_log (id, at, tenant_id, user_id, action, subject_id, details, ip, user_agent, request_id)
    VALUES (${ctx.newId()}, ${ctx.now().toISOString()}, ${tenantId ?? null}, ${userId ?? null}, ${action},
      ${subjectId ?? null}, ${JSON.stringify(details)}, ${address || null}, ${userAgent?.slice(0, 500) ?? null},
      ${ctx.requestId})`);
}
