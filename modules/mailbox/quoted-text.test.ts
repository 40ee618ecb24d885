import { expect, test } from 'vitest';
import { splitQuoted } from './quoted-text.ts';

const below = '> earlier\n> text';

test.each([
  ['an English introduction', 'Thanks!', `On Tue, 17 Nov 2026 at 10:00, Asha <a@example.com> wrote:\n${below}`],
  [
    'a wrapped introduction',
    'Thanks!',
    `On Tue, 17 Nov 2026 at 10:00, Asha Rao\n<asha@example.com> wrote:\n\n${below}`,
  ],
  ['a German introduction', 'Danke!', `Am 17.11.2026 um 10:00 schrieb Asha Rao <a@example.com>:\n${below}`],
  ['a French introduction', 'Merci !', `Le mar. 17 nov. 2026 à 10:00, Asha a écrit :\n${below}`],
  ['a Hindi introduction', 'धन्यवाद', `मंगल, 17 नव॰ 2026 को 10:00 बजे को Asha <a@example.com> ने लिखा:\n${below}`],
  ['a separator', 'See below.', '-----Original Message-----\nFrom: Asha\n\nearlier text without marks'],
  [
    'headers as Outlook writes them',
    'Done.',
    'From: Asha <a@example.com>\nSent: Tuesday, November 17, 2026 10:00\nTo: Shop\nSubject: Tea\n\nearlier text',
  ],
  ['quoted lines only', 'Yes.', below],
  ['a signature', 'Bye', '-- \nAsha Rao\nTea taster'],
  ['a line of a phone', 'Bye', 'Sent from my iPhone'],
])('folds %s', (_, body, quoted) => {
  expect(splitQuoted(`${body}\n\n${quoted}`)).toEqual({ body, quoted: quoted.trim() });
});

test.each([
  ['an answer between quoted lines', '> When?\nTomorrow.\n> Where?\nAt home.'],
  ['an answer below the quotation', `On Tue, 17 Nov 2026 at 10:00, Asha wrote:\n${below}\n\nI agree.`],
  ['a text that only quotes', below],
  ['words of everyday', 'On Monday I wrote: nothing.\nFrom: my heart'],
  ['nothing', ''],
])('keeps %s', (_, text) => {
  expect(splitQuoted(text)).toEqual({ body: text, quoted: null });
});

test('a hostile text takes no time', () => {
  const started = performance.now();
  for (const line of ['On ', '> ', '-- ', 'From: ', 'a'.repeat(400_000)]) {
    splitQuoted(Array.from({ length: 400_000 / line.length }, () => line).join('\n'));
    splitQuoted(line.repeat(400_000 / line.length));
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
