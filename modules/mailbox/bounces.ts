import type { Ctx } from '@chowk/kit';
import type { ReadMail } from './automatic.ts';

export interface Bounce {
  /** The id of our message. */
  readonly id: string;
  readonly hasFailed: boolean;
  readonly reason: string;
}

const maxReport = 64_000;

/** What a mail server reports about a mail that this tenant sent (RFC 3464); `undefined` if it is no such report. */
export function readBounce(ctx: Ctx, { attachments }: ReadMail): Bounce | undefined {
  const report = textIn(attachments, /^message\/(global-)?delivery-status$/);
  const original = textIn(attachments, /^(message\/(rfc822|global|global-headers)|text\/rfc822-headers)$/);
  const [, messageId = ''] = /^message-id:\s*<([^<>\s]+)>/im.exec(original) ?? [];
  const [id = '', host] = messageId.split('@');
  if (report === '' || host !== new URL(ctx.tenantUrl).hostname) return undefined;
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  return { id, hasFailed: /^action:\s*failed\b/im.test(report), reason: describe(report) };
}

function textIn(attachments: ReadMail['attachments'], type: RegExp): string {
  const found = attachments.find((attachment) => type.test(attachment.type));
  return found ? Buffer.from(found.content.subarray(0, maxReport)).toString('utf8') : '';
}

/** Without addresses. */
function describe(report: string): string {
  const [, diagnostic = ''] = /^diagnostic-code:\s*(?:[\w-]+;)?\s*(.{1,300})/im.exec(report) ?? [];
  const [, status = ''] = /^status:\s*(\d\.\d{1,3}\.\d{1,3})/im.exec(report) ?? [];
  const detail = (diagnostic || status)
    .replace(/[\p{Cc}]/gu, ' ')
    .replace(/\S+@\S+/g, '…')
    .trim();
  return `The mail was returned${detail === '' ? '' : `: ${detail.slice(0, 200)}`}`;
}
