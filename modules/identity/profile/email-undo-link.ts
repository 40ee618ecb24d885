import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { type Addressee, mailUser } from '../mail/mails.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';

const undoDays = 7;

interface Replacement {
  readonly oldVerifiedAt: string;
  readonly oldPasswordHash: string;
  readonly newEmail: string;
  readonly requestedAt: string;
}

/** Mails a link that restores the replaced address to that address. */
export async function sendUndoLink(
  ctx: SystemCtx,
  tx: Db,
  user: Addressee,
  { oldVerifiedAt, oldPasswordHash, newEmail, requestedAt }: Replacement,
): Promise<void> {
  const token = newSecret();
  // `clock_timestamp()` orders the changes: they run one at a time, under the lock of the user.
  await tx.run(sql`
    INSERT INTO email_changes (token_hash, user_id, old_email, old_verified_at, old_password_hash, new_email,
      requested_at, created_at, expires_at)
    VALUES (${hashSecret(token)}, ${user.userId}, ${user.email}, ${oldVerifiedAt}, ${oldPasswordHash}, ${newEmail},
      ${requestedAt}, clock_timestamp(), ${ctx.now()}::timestamptz + make_interval(days => ${undoDays}))`);
  await mailUser(ctx, tx, user, ({ name }) => ({
    subject: `The email address of your ${name} account was changed`,
    paragraphs: [
      `Your account at ${name} no longer uses ${user.email}. If that was you, there is nothing to do.`,
      'If it was not you, another person knows your password. Undo the change: your address is restored, all sessions end, and you choose a new password.',
    ],
    button: { label: 'Undo the change', url: `${ctx.system.url}/email/undo/${token}` },
    expiry: `This link expires in ${undoDays} days.`,
    warning: 'Do not forward this mail: anyone with the link can undo the change.',
  }));
}
