import type { ReadMail } from '@chowk/kit/kernel';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { cleanHtml, htmlToText } from './mail-html.ts';

const limits = { maxNestingDepth: 30, maxHeadersSize: 500_000, forceRfc822Attachments: true };
const maxHeaderBytes = 100_000;
const maxText = 400_000;
const maxHtml = 1_000_000;
/** A newsletter has a few thousand. */
const maxTags = 20_000;
const maxHeaders = 500;
const maxAttachments = 20;
/** Each may begin a part. */
const maxDashLines = 50_000;

/** Reads a mail; only its headers if it is nested too deeply, or with `headersOnly`. */
export async function parseMail(mail: Uint8Array, { headersOnly = false } = {}): Promise<ReadMail> {
  if (headersOnly || hasTooManyParts(mail)) return describe(await PostalMime.parse(headersIn(mail), limits), false);
  const email = await PostalMime.parse(mail, limits).catch(() => undefined);
  return email ? describe(email, true) : parseMail(mail, { headersOnly: true });
}

function hasTooManyParts(mail: Uint8Array): boolean {
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength);
  let at = -1;
  for (let count = 0; count < maxDashLines; count += 1) {
    at = bytes.indexOf('\n--', at + 1);
    if (at < 0) return false;
  }
  return true;
}

function headersIn(mail: Uint8Array): Uint8Array {
  const head = Buffer.from(mail.subarray(0, maxHeaderBytes));
  const end = head.toString('latin1').search(/\r?\n\r?\n/);
  return end < 0 ? head : head.subarray(0, end);
}

function describe(email: Email, isComplete: boolean): ReadMail {
  const raw = isComplete ? cleanText((email.html ?? '').slice(0, maxHtml)) : '';
  const html = raw.split('<').length > maxTags ? '' : cleanHtml(raw).trim();
  const text = email.text?.trim() ? email.text : htmlToText(html || raw);
  return {
    isComplete,
    headers: email.headers.slice(0, maxHeaders).map(({ key, value }) => ({ name: key, value: cleanLine(value) })),
    from: readAddress(email.from),
    subject: cleanLine(email.subject ?? ''),
    text: isComplete ? cleanText(text.slice(0, maxText)) : '',
    html: html === '' || html.length > maxHtml ? null : html,
    attachments: isComplete ? email.attachments.slice(0, maxAttachments).map(readAttachment) : [],
    omittedCount: Math.max(0, email.attachments.length - maxAttachments),
  };
}

function readAddress(from: Address | undefined): ReadMail['from'] {
  const mailbox = from?.group ? from.group[0] : from;
  return mailbox?.address ? { name: cleanLine(mailbox.name), address: cleanLine(mailbox.address) } : null;
}

function readAttachment({ filename, mimeType, contentId, content }: Attachment): ReadMail['attachments'][number] {
  return {
    fileName: cleanLine(filename ?? ''),
    type: cleanLine(mimeType),
    contentId: contentId === undefined ? null : cleanLine(contentId).replace(/^<|>$/g, ''),
    content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
  };
}

/** Without characters that PostgreSQL does not store or that a terminal would obey. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .toWellFormed();
}

function cleanLine(text: string): string {
  return text
    .slice(0, 20_000)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed()
    .trim();
}
