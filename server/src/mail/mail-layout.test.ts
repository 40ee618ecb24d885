import type { Mail } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layoutMail } from './mail-layout.ts';

const content: Mail = {
  to: 'asha@example.com',
  subject: 'Hello',
  organization: 'Acme',
  recipient: 'Asha',
  paragraphs: ['The first.', 'The second.'],
  button: { label: 'Press here', url: 'https://chowk.example/x?a=1&b=2' },
  expiry: 'Expires in an hour.',
  warning: 'Ignore it if you like.',
};

function layout(changes: Partial<Mail> = {}) {
  return layoutMail({ ...content, ...changes });
}

/** The text of the markup, without tags and with entities decoded. */
function visibleText(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

test('the plain text and the HTML have the same content', () => {
  const { text, html } = layout();
  const texts = [
    'Acme',
    'Hello Asha,',
    'The first.',
    'The second.',
    'Press here',
    'Expires in an hour.',
    'Ignore it if',
  ];
  for (const part of texts) {
    expect(text).toContain(part);
    expect(visibleText(html)).toContain(part);
  }
  expect(text).toContain('Press here:\nhttps://chowk.example/x?a=1&b=2\n');
});

test('the link is a button and is also shown as text', () => {
  const { html } = layout();
  expect(html.match(/href="https:\/\/chowk\.example\/x\?a=1&#38;b=2"/g)).toHaveLength(2);
  expect(visibleText(html)).toContain(' https://chowk.example/x?a=1&b=2 ');
});

test('without a link there is no button', () => {
  const { button: _, ...rest } = content;
  const { html } = layoutMail(rest);
  expect(html).not.toContain('<a ');
  expect(html).not.toContain('undefined');
});

test('the first paragraph is the preview in a list of mails', () => {
  const { html } = layout();
  expect(html).toMatch(/<body[^>]*>\s*<div style="display:none[^>]*>The first\./);
});

test('a mail supports light and dark mode and phones, and loads nothing', () => {
  const { html } = layout();
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).toContain('name="viewport"');
  expect(html).not.toMatch(/<img|<link|@import|url\(|<script/i);
});

test('buttons and links have the color of the console', () => {
  const { html } = layout({ button: { label: 'Open', url: 'https://chowk.example/x' } });
  expect(html).toContain('bgcolor="#007475"');
  expect(html).toContain('.link { color: #31c8c9 !important; }');
});

test('each text is shown in its own direction', () => {
  const { html } = layout({ organization: 'متجر', paragraphs: ['مرحبا'] });
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

test.each(hostile)('%s in a name are removed', (_, input = '', expected = '') => {
  const { subject, text, html } = layout({
    subject: `For ${input}`,
    organization: input,
    recipient: `A ${input}`,
    paragraphs: [input],
    warning: input,
  });
  expect(subject).toBe(`For ${expected}`);
  const greeting = expected.includes('@') ? 'Hello,' : `Hello A ${expected},`;
  expect(text).toBe(
    `${greeting}\n\n${expected}\n\nPress here:\nhttps://chowk.example/x?a=1&b=2\n\nExpires in an hour.\n\n${expected}\n\n-- \n${expected}`,
  );
  expect(html).toContain(`>${expected}</td>`);
});

test('a long subject is shortened', () => {
  const { subject } = layout({ subject: `For ${'🌶'.repeat(300)}` });
  expect([...subject]).toHaveLength(150);
  expect(subject.endsWith('🌶…')).toBe(true);
});

test('all texts of a mail are escaped', () => {
  const { html: reference } = layout();
  const tags = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.split(/[\s>]/)[0]);
  const markupText = fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', '/', ' ', '=', '\n', '&lt;', '<b>'),
  });
  fc.assert(
    fc.property(markupText, (input) => {
      const { html } = layout({
        subject: input,
        organization: input,
        recipient: input,
        paragraphs: [input, input],
        warning: input,
        expiry: `x${input}`,
        button: { label: input, url: `https://x/${input}` },
      });
      expect(tags(html)).toEqual(tags(reference));
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
  ['', 'Hello,'],
])('a recipient named %s is greeted with %s', (name, greeting) => {
  expect(layout({ recipient: name }).text.split('\n')[0]).toBe(greeting);
});
