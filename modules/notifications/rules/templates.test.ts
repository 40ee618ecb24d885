import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Contact, render } from './render-rule.ts';
import { placeholdersIn, renderTemplate } from './templates.ts';

const customer: Contact = {
  id: '1',
  first_name: 'Meera',
  last_name: 'Iyer',
  email: 'meera@example.com',
  phone: '+9198',
};
const order = { order_number: '1042', total: '199.65', status: 'shipped', is_gift: true, note: null, tags: ['a', 'b'] };
test('a total has the decimals of its currency', () => {
  const template = { subject: null, body: '{{total}}' };
  const total = (fields: object) =>
    render({ channel: 'sms', template }, { payload: { order: { ...order, ...fields } }, customer }).body;
  expect(total({ currency: 'JPY', total: '500.00' })).toBe('JPY 500');
  expect(total({ currency: 'KWD', total: '3.00' })).toBe('KWD 3.000');
  expect(total({ currency: 'INR' })).toBe('INR 199.65');
});

const renderBody = (body: string, fields: Partial<Contact> = {}) =>
  render(
    { channel: 'sms', template: { subject: null, body } },
    { payload: { order }, customer: { ...customer, ...fields } },
  ).body;

test('a template gets the tracking of a shipment and the amount of a refund', () => {
  const texts = (payload: object) =>
    render(
      { channel: 'sms', template: { subject: null, body: '{{tracking_number}} {{tracking_url}} {{refund_amount}}' } },
      { payload: { order: { ...order, currency: 'KWD' }, ...payload }, customer },
    ).body;
  const shipment = { tracking_number: '1490', tracking_url: 'https://track.example/1490' };
  expect(texts({ shipment, refund: { amount: '1.250' } })).toBe('1490 https://track.example/1490 KWD 1.250');
  expect(texts({ shipment, refund: { amount: '1.25' } })).toBe('1490 https://track.example/1490 KWD 1.250');
  expect(texts({ shipment: { tracking_number: null, tracking_url: null } })).toBe('–  KWD');
});

test('a template gets the five values and fields of the event', () => {
  const body = '{{customer_name}} {{ customer_phone }} {{customer_email}} {{order_number}} {{total}} {{order.status}}';
  expect(renderBody(body)).toBe('Meera Iyer +9198 meera@example.com 1042 199.65 shipped');
  const { body: priced } = render(
    { channel: 'sms', template: { subject: null, body: '{{total}}, {{order.total}}' } },
    { payload: { order: { ...order, currency: 'EUR' } }, customer },
  );
  expect(priced).toBe('EUR 199.65, 199.65');
  expect(renderBody('{{order.is_gift}} {{order.note}}; {{order.tags}}')).toBe('true ; a, b');
  expect(renderBody('{{customer_name}}', { first_name: null, last_name: null })).toBe('Customer');
});

test('substituted text is not interpreted again, whatever it contains', () => {
  for (const name of ['{{customer_phone}}', '$&', '$1', '{{', '}}', '<b>', '%{total}', '{{{{total}}}}']) {
    expect(renderBody('Hello {{customer_name}}{{order.note}}!', { first_name: name, last_name: null })).toBe(
      `Hello ${name}!`,
    );
  }
});

test('every pair of double braces is a placeholder', () => {
  expect(placeholdersIn('{{a}} {{ b.c }} {{#if x}} {{}} {single} {{{d}}} {{e')).toEqual(['a', 'b.c', '#if x', '', 'd']);
});

test('any text without double braces stays as it is, and any value appears as it is', () => {
  const plain = fc.string().map((text) => text.replaceAll(/[{}]/g, ''));
  fc.assert(
    fc.property(plain, plain, fc.string(), (before, after, value) => {
      expect(renderTemplate(before, () => 'x')).toBe(before);
      expect(renderTemplate(`${before}{{name}}${after}`, () => value)).toBe(before + value + after);
    }),
  );
});

test('a subject is one line, whatever its values contain', () => {
  const lineBreaks = fc
    .array(fc.constantFrom('\r', '\n', '\u2028', '\u0085', '\0', 'a', ' ', 'Bcc: x@example.com'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(lineBreaks, (name) => {
      const { subject } = render(
        { channel: 'email', template: { subject: 'For {{customer_name}}', body: 'x' } },
        { payload: {}, customer: { ...customer, first_name: name } },
      );
      expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a long text is cut to what the channel takes, and no character in half', () => {
  const body = (channel: 'sms' | 'email', name: string) =>
    render(
      { channel, template: { subject: null, body: '{{customer_name}}' } },
      { payload: {}, customer: { ...customer, first_name: name, last_name: null } },
    ).body;
  expect(body('sms', 'x'.repeat(2_000))).toBe(`${'x'.repeat(1_599)}…`);
  expect(body('sms', `${'x'.repeat(1_598)}😀😀`)).toBe(`${'x'.repeat(1_598)}…`);
  expect(body('email', 'x'.repeat(2_000))).toHaveLength(2_000);
});
