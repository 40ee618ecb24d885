import type { Db, SystemCtx } from '@chowk/kit';
import { type Addressee, mailUser } from '../mail/mails.ts';

/** Notifies a user of a change to the account, in case another person made it. */
export function sendSecurityNotice(
  ctx: SystemCtx,
  tx: Db,
  user: Addressee,
  write: (organization: string) => { subject: string; text: string },
): Promise<void> {
  return mailUser(ctx, tx, user, ({ name }) => {
    const { subject, text } = write(name);
    const warning = `If that was not you, request a new password at once: choose "Forgot password" on the sign-in page of ${name}.`;
    return { subject, paragraphs: [text], warning };
  });
}
