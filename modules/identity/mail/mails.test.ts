import type { Mail, SystemCtx } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { greet, type Message, sendMail } from './mails.ts';

const plain: Message = {
  to: 'asha@example.com',
  subject: 'Hello',
  organization: 'Acme',
  greeting: 'Hello Asha,',
  paragraphs: ['The first.', 'The second.'],
  button: { label: 'Press here', url: 'https://chowk.example/x?a=1&b=2' },
  expiry: 'Good for an hour.',
  warning: 'Ignore it if you like.',
};

async function sent(changes: Partial<Message> = {}): Promise<Mail> {
  const mails: Mail[] = [];
  const platform = { mail: { send: async (mail: Mail) => void mails.push(mail) } };
  await sendMail({ platform } as unknown as SystemCtx, { ...plain, ...changes });
  return mails[0] as Mail;
}

/** What a reader sees of the markup: no tags, and entities read. */
function visible(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

test('text and markup say the same', async () => {
  const { text, html } = await sent();
  const said = ['Acme', 'Hello Asha,', 'The first.', 'The second.', 'Press here', 'Good for an hour.', 'Ignore it if'];
  for (const part of said) {
    expect(text).toContain(part);
    expect(visible(html)).toContain(part);
  }
  expect(text).toContain('Press here:\nhttps://chowk.example/x?a=1&b=2\n');
});

test('the link is a button and is printed as text', async () => {
  const { html } = await sent();
  expect(html.match(/href="https:\/\/chowk\.example\/x\?a=1&#38;b=2"/g)).toHaveLength(2);
  expect(visible(html)).toContain(' https://chowk.example/x?a=1&b=2 ');
});

test('without a link there is no button', async () => {
  const { button: _, ...rest } = plain;
  const mails: Mail[] = [];
  const platform = { mail: { send: async (mail: Mail) => void mails.push(mail) } };
  await sendMail({ platform } as unknown as SystemCtx, rest);
  expect(mails[0]?.html).not.toContain('<a ');
  expect(mails[0]?.html).not.toContain('undefined');
});

test('the first paragraph is what a list of mails shows', async () => {
  const { html } = await sent();
  expect(html).toMatch(/<body[^>]*>\s*<div style="display:none[^>]*>The first\./);
});

test('it is for light and dark screens, loads nothing and fits a phone', async () => {
  const { html } = await sent();
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).toContain('name="viewport"');
  expect(html).not.toMatch(/<img|<link|@import|url\(|<script/i);
});

test('texts in any direction are set in their own', async () => {
  const { html } = await sent({ organization: 'متجر', greeting: 'مرحبا' });
  expect(html).toMatch(/dir="auto"[^>]*>متجر</);
  expect(html).toMatch(/dir="auto"[^>]*>مرحبا</);
  expect(html).toMatch(/<p dir="ltr"[^>]*><a [^>]*>https:/);
});

const hostile = [
  ['line breaks', 'Evil\r\nBcc: all@example.com', 'Evil Bcc: all@example.com'],
  ['other line breaks', 'a\u2028b\u2029c\u0085d\ve', 'a b c d e'],
  ['control characters', 'a\0b\x1bc', 'a b c'],
  ['marks that turn the direction', 'a\u202ebc\u2066d', 'abcd'],
  ['half a character', 'a\ud83d', 'a\ufffd'],
  ['blanks around', '  a   b ', 'a b'],
];

test.each(hostile)('%s in a name are harmless everywhere', async (_, given = '', shown = '') => {
  const { subject, text, html } = await sent({
    ...{ subject: `For ${given}`, organization: given, greeting: given, paragraphs: [given], warning: given },
  });
  expect(subject).toBe(`For ${shown}`);
  expect(text).toBe(
    `${shown}\n\n${shown}\n\nPress here:\nhttps://chowk.example/x?a=1&b=2\n\nGood for an hour.\n\n${shown}\n\n-- \n${shown}`,
  );
  expect(html).toContain(`>${shown}</td>`);
});

test('a long name does not make an endless subject', async () => {
  const { subject } = await sent({ subject: `For ${'🌶'.repeat(300)}` });
  expect([...subject]).toHaveLength(150);
  expect(subject.endsWith('🌶…')).toBe(true);
});

test('nothing that is put into a mail becomes markup', async () => {
  const { html: model } = await sent();
  const tags = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.split(/[\s>]/)[0]);
  const nasty = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', '/', ' ', '=', '\n', '&lt;', '<b>') });
  await fc.assert(
    fc.asyncProperty(nasty, async (given) => {
      const { html } = await sent({
        ...{ subject: given, organization: given, greeting: given, paragraphs: [given, given] },
        ...{ warning: given, expiry: `x${given}`, button: { label: given, url: `https://x/${given}` } },
      });
      expect(tags(html)).toEqual(tags(model));
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['Asha Rao', 'Hello Asha Rao,'],
  ['J. R. Rao', 'Hello J. R. Rao,'],
  ['Win at evil.example', 'Hello,'],
  ['http://evil', 'Hello,'],
  ['a@b', 'Hello,'],
])('somebody called %s is greeted with %s', (name, greeting) => {
  expect(greet(name)).toBe(greeting);
});
