import type { Ctx } from '@chowk/kit';
import { type Account, MailboxProblem, withConnection } from './connection.ts';
import { storedMailbox, withPassword } from './mailbox.ts';
import { openFolder } from './read-mails.ts';
import type { ImapInput, ImapTest } from './schemas.ts';

const limitMs = 30_000;
const maxFolders = 200;

/** Connects, signs in and opens the folder. */
export async function testMailbox(ctx: Ctx, input: ImapInput): Promise<ImapTest> {
  const account = withPassword(ctx, input, await storedMailbox(ctx));
  let folders: string[] = [];
  try {
    for await (const found of readFolders(ctx, account, input.folder)) {
      if (found.mail_count !== null) return { is_working: true, field: null, reason: null, ...found };
      folders = found.folders;
    }
    throw new MailboxProblem(null, 'The server closed the connection.');
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    return { is_working: false, field: error.field, reason: error.message, folders, mail_count: null };
  }
}

/** First the folders, then those with the number of mails in the chosen one. */
function readFolders(ctx: Ctx, account: Account, folder: string) {
  return withConnection(ctx, account, { limitMs }, async function* (client) {
    const folders = (await client.list()).map(({ path }) => path).slice(0, maxFolders);
    yield { folders, mail_count: null };
    const { exists } = await openFolder(client, folder, { readOnly: true });
    yield { folders, mail_count: exists };
  });
}
