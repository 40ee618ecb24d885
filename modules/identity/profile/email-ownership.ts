import { type Db, invalid, sql, taken } from '@chowk/kit';

export const addressTaken = 'Another account has this address.';

/** Whether an account has verified the address and signs in with it. */
export async function isOwned(db: Db, email: string): Promise<boolean> {
  const owner = await db.row(sql`SELECT FROM users WHERE email = ${email} AND email_verified_at IS NOT NULL`);
  return owner !== undefined;
}

/** Makes a verified address the one that the user signs in with. An account that has not verified it loses it. */
export async function ownAddress(
  tx: Db,
  { userId, email, verifiedAt }: { userId: number; email: string; verifiedAt: Date | string },
): Promise<void> {
  await tx.run(sql`
    WITH lost AS (
      UPDATE users SET email = NULL, pending_email = coalesce(pending_email, email)
      WHERE email = ${email} AND email_verified_at IS NULL AND id <> ${userId} RETURNING id)
    DELETE FROM password_resets WHERE user_id IN (SELECT id FROM lost)`);
  await tx.run(sql`UPDATE users SET email = ${email}, email_verified_at = ${verifiedAt} WHERE id = ${userId}`);
  await cancelEmailChange(tx, userId);
}

export async function cancelEmailChange(tx: Db, userId: number): Promise<void> {
  await tx.run(sql`
    UPDATE users SET pending_email = NULL, pending_email_at = NULL, pending_email_password = NULL WHERE id = ${userId}`);
}

/** 422 if another account has verified the address: the unique index decides a race. */
export async function unlessOwned<Result>(
  { field, message }: { field: string; message: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505' || constraint !== 'users_email_key') throw error;
    throw invalid({ [field]: taken(message) });
  }
}
