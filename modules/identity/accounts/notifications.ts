import { type NewNotification, type Static, type SystemCtx, sql } from '@chowk/kit';

/** Stored for people who may sign in, and neither listed nor broadcast: there is no tenant whose console would show it. */
export async function storeNotification(
  ctx: SystemCtx,
  { to, ...message }: Static<typeof NewNotification> & { readonly to: number | readonly number[] },
): Promise<void> {
  const { type, module, title, body, icon, severity, action_url, action_label, data, group_key } = message;
  const users = [...new Set([to].flat())];
  const ids = users.map(() => ctx.newId());
  await ctx.central.run(sql`
    INSERT INTO notifications (id, user_id, type, module, title, body, icon, severity, action_url, action_label, data,
      group_key)
    SELECT recipients.id, u.id, ${type}, ${module}, ${title}, ${body}, ${icon}, ${severity}, ${action_url},
      ${action_label}, ${data && JSON.stringify(data)}::json, ${group_key}
    FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS recipients (id, user_id)
      JOIN users u ON u.id = recipients.user_id AND u.kind = 'person' AND u.disabled_at IS NULL`);
  ctx.log.warn({ type, users }, 'notification without a tenant: stored, not broadcast');
}
