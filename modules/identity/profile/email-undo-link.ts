import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { type Addressee, mailUser } from '../mail/mails.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';

const undoDays = 7;

interface ReplacedAddress {
  readonly userId: number;
  readonly oldEmail: string;
  readonly oldVerifiedAt: string;
  readonly oldPasswordHash: string;
  readonly newEmail: string;
  readonly requestedAt: string;
}

/** `clock_timestamp()` orders the changes: they run one at a time, under the lock of the user. */
export async function createUndoLink(ctx: SystemCtx, tx: Db, change: ReplacedAddress): Promise<string> {
  const { userId, oldEmail, oldVerifiedAt, oldPasswordHash, newEmail, requestedAt } = change;
  const token = newSecret();
  await tx.run(sql`
    INSERT INTO email_changes (token_hash, user_id, old_email, old_verified_at, old_password_hash, new_email,
      requested_at, created_at, expires_at)
    VALUES (${hashOf(token)}, ${userId}, ${oldEmail}, ${oldVerifiedAt}, ${oldPasswordHash}, ${newEmail}, ${requestedAt},
      clock_timestamp(), ${ctx.now()}::timestamptz + make_interval(days => ${undoDays}))`);
  return token;
}

export function sendUndoLink(ctx: SystemCtx, user: Addressee, token: string): Promise<void> {
  return mailUser(ctx, user, ({ name }) => ({
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
