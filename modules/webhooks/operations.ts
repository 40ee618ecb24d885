import { type Ctx, operation, sql, Type } from '@chowk/kit';

const Saved = Type.Object({ user_id: Type.Integer(), since: Type.String() });

export const operations = {
  'webhooks.turnOffSavedBy': operation({
    summary: 'Turn off the webhooks that a user has saved since a time',
    input: Saved,
    output: Type.Integer(),
    run: turnOffSavedBy,
  }),
};

function turnOffSavedBy(ctx: Ctx, { user_id, since }: { user_id: number; since: string }): Promise<number> {
  const now = ctx.now();
  return ctx.db.run(sql`
    UPDATE webhooks SET is_active = false, disabled_at = ${now}, updated_at = ${now}
    WHERE is_active AND saved_by = ${user_id} AND updated_at >= ${since}`);
}
