import { type Ctx, sql } from '@chowk/kit';
import { findCustomerId } from './conversations.ts';

/** The time only goes forward: an older tab changes nothing. */
export async function markRead(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await findCustomerId(ctx, { id });
  await ctx.db.run(sql`
    INSERT INTO conversation_reads AS r (conversation_id, user_id, read_at)
    SELECT id, ${ctx.user.id}, ${ctx.now()} FROM conversations WHERE id = ${id}
    ON CONFLICT (conversation_id, user_id) DO UPDATE SET read_at = greatest(r.read_at, excluded.read_at)`);
}
