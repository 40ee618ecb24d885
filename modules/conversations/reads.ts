import { type Ctx, sql } from '@chowk/kit';

/** The caller has seen the conversation. The time only goes forward: an older tab changes nothing. */
export async function recordRead(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO conversation_reads AS r (conversation_id, user_id, read_at)
    SELECT id, ${ctx.user.id}, ${ctx.now()} FROM conversations WHERE id = ${id}
    ON CONFLICT (conversation_id, user_id) DO UPDATE SET read_at = greatest(r.read_at, excluded.read_at)`);
}
