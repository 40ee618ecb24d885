import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { receiveRawMail } from './receive-mail.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const ctx = acme.context('mailbox');
const agent = acme.caller('conversations.view', 'customers.view', 'customers.view_sensitive');

const sender = 'From: Eve <eve@example.com>\n';
const subject = 'Subject: Hello\n';
const html = (content: string) => `${sender}${subject}Content-Type: text/html; charset=utf-8\n\n${content}`;
const headers = (lines: string) => `${sender}${lines}\n\nHello`;
const text = (type: string, content: string) => `${sender}${subject}Content-Type: ${type}\n\n${content}`;
const attached = (name: string, content = 'x', type = 'application/octet-stream') => `${sender}${subject}\
Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b\nContent-Type: ${type}\nContent-Disposition: attachment; ${name}\n\n\
${content}\n--b--\n`;
const nested = (depth: number) =>
  `${sender}${subject}Content-Type: multipart/mixed; boundary=b0\n\n${Array.from(
    { length: depth },
    (_, level) => `--b${level}\nContent-Type: multipart/mixed; boundary=b${level + 1}\n\n`,
  ).join('')}--b${depth}\n\nHello`;
const nestedMessages = (depth: number) =>
  `${`${sender}${subject}Content-Type: message/rfc822\n\n`.repeat(depth)}${sender}${subject}\n\nHello`;

interface Shown {
  readonly body: string;
  readonly sender: string | null;
  readonly is_automatic: boolean;
  readonly attachments: readonly { readonly file_name: string; readonly type: string }[];
  readonly html: string | null;
}
const says = (body: string) => (shown: Shown) => expect(shown.body).toBe(body);
const hasFile = (name: string) => (shown: Shown) =>
  expect(shown.attachments).toEqual([expect.objectContaining({ file_name: name })]);
const isAutomatic = (shown: Shown) => expect(shown.is_automatic).toBe(true);
const isUnreadable = (shown: Shown) => expect(shown.body).toMatch(/^This mail could not be read/);

/** Each becomes a message that is safe to show, and nothing else happens. */
const mails: readonly [name: string, mail: string | Buffer, check?: (shown: Shown) => void][] = [
  ['nothing at all', ''],
  ['no headers', '\n\nHello'],
  ['only line breaks', `${subject}${'\n'.repeat(10_000)}`],
  ['bytes of no meaning', Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256))],
  ['no sender', `${subject}\nHello`, says('Hello')],
  ['a sender that is no address', `From: "><script>alert(1)</script>\n${subject}\nHello`, says('Hello')],
  ['two senders', `From: a@example.com, b@example.com\nFrom: c@example.com\n${subject}\nHello`, says('Hello')],
  ['a group as sender', `From: Friends: a@example.com, b@example.com;\n${subject}\nHello`, says('Hello')],
  [
    'a name of 100,000 characters',
    `From: "${'E'.repeat(100_000)}" <eve2@example.com>\n${subject}\nHello`,
    says('Hello'),
  ],
  ['a subject with line breaks', headers('Subject: =?utf-8?q?Hi=0D=0ABcc:_victim@example.com?='), says('Hello')],
  ['a subject with NUL characters', headers('Subject: =?utf-8?q?a=00b?=\nX-A: a\0b')],
  ['a sender with line breaks', `From: =?utf-8?q?Eve=0D=0ABcc=3A_v@example.com?= <eve@example.com>\n${subject}\nHello`],
  ['a Message-ID of 50,000 characters', headers(`Message-ID: <${'a'.repeat(50_000)}@x>`), says('Hello')],
  ['a Message-ID with SQL', headers(`Message-ID: <'; DROP TABLE conversations; --${randomUUID()}@x>`), says('Hello')],
  [
    '10,000 references',
    headers(`References: ${Array.from({ length: 10_000 }, (_, n) => `<${n}@x>`).join(' ')}`),
    says('Hello'),
  ],
  [
    '10,000 recipients',
    headers(`To: ${Array.from({ length: 10_000 }, (_, n) => `p${n}@example.com`).join(', ')}`),
    says('Hello'),
  ],
  ['100,000 headers', headers(`Subject: Many\n${'X-A: b\n'.repeat(100_000)}X-B: c`), isUnreadable],
  ['a header of a megabyte', headers(`X-Long: ${'a'.repeat(1_000_000)}`), isUnreadable],
  ['a charset that does not exist', text('text/plain; charset=klingon-8', 'Hello'), says('Hello')],
  [
    'a wrong charset',
    Buffer.concat([Buffer.from(text('text/plain; charset=utf-8', '')), Buffer.from([0xff, 0xfe, 0xc3])]),
  ],
  ['UTF-16 that claims to be ASCII', Buffer.from(text('text/plain; charset=us-ascii', 'Hello'), 'utf16le')],
  ['UTF-7 with a script', text('text/html; charset=utf-7', '+ADw-script+AD4-alert(1)+ADw-/script+AD4-')],
  ['NUL characters in the text', text('text/plain', 'He\0l\0lo'), says('Hello')],
  ['half a surrogate pair', html('Hi &#xD83D; there')],
  ['broken base64', `${sender}${subject}Content-Transfer-Encoding: base64\n\n!!!!====AAAA`],
  ['broken quoted-printable', `${sender}${subject}Content-Transfer-Encoding: quoted-printable\n\nHel=ZZlo=`],
  ['5,000 nested parts', nested(5_000), isUnreadable],
  ['1,000 nested messages', nestedMessages(1_000)],
  [
    'a million parts',
    `${sender}${subject}Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(1_000_000)}`,
    isUnreadable,
  ],
  [
    'a boundary that never ends',
    `${sender}${subject}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello`,
    says('Hello'),
  ],
  ['an empty boundary', `${sender}${subject}Content-Type: multipart/mixed; boundary=""\n\n--\n\nHello`],
  [
    'scripts',
    html(
      '<p onclick="x()">Hi<script>alert(1)</script><svg onload=x><script>1</script></svg><a href="javascript:x">y</a></p>',
    ),
  ],
  [
    'forms and frames',
    html('<form action="https://evil"><input name=pin><button>ok</button></form><iframe src="https://evil"></iframe>'),
  ],
  [
    'styles and links',
    html(
      '<link rel=stylesheet href="https://evil"><style>*{background:url(https://evil)}</style><p style="position:fixed">x</p>',
    ),
  ],
  [
    'hidden pictures of other servers',
    html('<img src="https://evil/pixel.gif"><img srcset="https://evil/2x 2x"><video poster="https://evil">'),
  ],
  [
    'attributes that we use ourselves',
    html('<img data-remote-src="javascript:x" data-attachment="../../x" data-content-id="y" src="data:text/html,x">'),
  ],
  ['markup that is not closed', html(`${'<div><b>'.repeat(15_000)}<img src="x" onerror="alert(1)"`)],
  [
    'a comment that hides a script',
    html('<!--><script>alert(1)</script>--><!--[if mso]><script>x</script><![endif]-->'),
  ],
  ['traversal in the name of a file', attached('filename="../../../etc/passwd"'), hasFile('passwd')],
  [
    'a name that turns the direction',
    attached(`filename*=utf-8''${encodeURIComponent('invoice\u202efdp.exe')}`),
    hasFile('invoicefdp.exe'),
  ],
  [
    'a page that claims to be a picture',
    attached('filename=x.png', '<script>alert(1)</script>', 'image/png'),
    ({ attachments }) => expect(attachments[0]?.type).toBe('application/octet-stream'),
  ],
  [
    '200 attachments',
    `${sender}${subject}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n${'--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\nx\n'.repeat(
      200,
    )}--b--`,
    ({ body, attachments }) => {
      expect(attachments).toHaveLength(20);
      expect(body).toBe('Hello\n\n[180 more attachments were not kept.]');
    },
  ],
  ['a reply of a program', 'From: a1@example.com\nAuto-Submitted: auto-replied\n\nHello', isAutomatic],
  ['a mail without a return path', 'Return-Path: <>\nFrom: a2@example.com\n\nHello', isAutomatic],
  [
    'a bounce of a mail that is not ours',
    `From: mailer-daemon@example.com\n${subject}Content-Type: multipart/report; boundary=b\n\n--b\n\n\
Failed\n--b\nContent-Type: message/delivery-status\n\nAction: failed\n\n--b\nContent-Type: message/rfc822\n\nMessage-ID: <${randomUUID()}@other>\n--b--`,
    isAutomatic,
  ],
];

test.each(mails)('%s', { timeout: 60_000 }, async (_, mail, check) => {
  const raw = typeof mail === 'string' ? Buffer.from(mail.replace(/\n/g, '\r\n')) : mail;
  const { message_id, status } = await receiveRawMail(ctx, { mail: raw, recipient: null });
  expect(status).toBe('added');
  const row = await acme.db.row<{ conversation_id: string }>(
    sql`SELECT conversation_id FROM conversation_messages WHERE id = ${message_id}`,
  );
  const path = `/api/v1/conversations/${row?.conversation_id}`;
  const { body: shown } = await agent.get(path);
  const { body: page } = await agent.get(`${path}/messages/${message_id}/html`);
  const [message] = shown.conversation.messages;
  expect(message.id).toBe(message_id);
  // Only line breaks and tabs of all control characters.
  expect(JSON.stringify(shown)).not.toMatch(/\\u00[01]|\\r/);
  expect(shown.conversation.subject).not.toContain('\n');
  expect(page.html ?? '').not.toMatch(
    /<(script|style|form|input|iframe|svg|link|meta|object|video)|\son\w+=|javascript:|\ssrc|data:/i,
  );
  check?.({ ...message, html: page.html });
});

test('there are at least forty of them, and the customers are as before', async () => {
  expect(mails.length).toBeGreaterThanOrEqual(40);
  const { body } = await agent.get('/api/v1/customers?per_page=100');
  const emails = body.customers.map(({ email }: { email: string | null }) => email).filter(Boolean);
  expect(new Set(emails).size).toBe(emails.length);
  expect(emails).toContain('eve@example.com');
});
