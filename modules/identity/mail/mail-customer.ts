import { type Static, type SystemCtx, Type } from '@chowk/kit';

type Mails = SystemCtx['system']['mail'];
type Content = Parameters<Mails['deliver']>[0];

const Text = Type.String();
const Letter = Type.Object({
  in_reply_to: Type.Optional(Text),
  references: Type.Optional(Type.Array(Text)),
  is_automatic: Type.Optional(Type.Boolean()),
  // Any value: validation would take the fields of objects that it does not know.
  attachments: Type.Optional(
    Type.Unsafe<readonly { readonly fileName: string; readonly type: string; readonly content: Uint8Array }[]>({}),
  ),
});
export const CustomerMail = Type.Object({
  message_id: Text,
  to: Text,
  subject: Text,
  text: Text,
  reply_to: Type.Optional(Text),
  /** Where mail servers report that it was not delivered. */
  return_path: Type.Optional(Text),
  /** The page with which the customer unsubscribes. */
  unsubscribe_path: Type.Optional(Text),
  letter: Type.Optional(Letter),
});
type CustomerMail = Static<typeof CustomerMail>;

export const Outcome = Type.Unsafe<Awaited<ReturnType<Mails['deliver']>>>(
  Type.Object({ status: Type.Enum(['sent', 'failed', 'retry']), reason: Type.Optional(Text) }),
);

/** The tenant is the sender. */
export async function mailCustomer(ctx: SystemCtx, mail: CustomerMail): ReturnType<Mails['deliver']> {
  if (ctx.tenant.isSandbox) return { status: 'sent' };
  return ctx.system.mail.deliver(mail.letter ? writeLetter(ctx, mail, mail.letter) : layOut(ctx, mail));
}

function layOut({ tenant, tenantUrl }: SystemCtx, mail: CustomerMail): Content {
  const { message_id, to, subject, text, unsubscribe_path: path } = mail;
  const paragraphs = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const sender = { fromName: tenant.name, messageId: message_id, ...findAddresses(mail) };
  const fields = { ...sender, to, subject, organization: tenant.name, paragraphs };
  return path === undefined ? fields : { ...fields, unsubscribeUrl: tenantUrl + path };
}

function findAddresses({ reply_to, return_path }: CustomerMail) {
  return {
    ...(reply_to !== undefined && { replyTo: reply_to }),
    ...(return_path !== undefined && { returnPath: return_path }),
  };
}

function writeLetter({ tenant }: SystemCtx, mail: CustomerMail, letter: Static<typeof Letter>): Content {
  const { message_id, to, subject, text } = mail;
  const { in_reply_to, references = [], is_automatic = false, attachments = [] } = letter;
  return {
    fromName: tenant.name,
    to,
    subject,
    text,
    messageId: message_id,
    references,
    attachments,
    isAutomatic: is_automatic,
    ...(in_reply_to !== undefined && { inReplyTo: in_reply_to }),
    ...findAddresses(mail),
  };
}
