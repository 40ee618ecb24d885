import { maskDigits } from '@chowk/kit';
import { valueAt } from './event-fields.ts';
import type { NewRule } from './rule-schemas.ts';
import { renderTemplate } from './templates.ts';

export interface Contact {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly accepts_marketing?: boolean;
}

/** The data of a message. */
export interface Subject {
  readonly payload: unknown;
  readonly customer: Contact | undefined;
}

/** The most that a channel takes; Twilio refuses longer texts. */
const maxBody = { in_app: 10_000, email: 100_000, sms: 1_600, whatsapp: 1_600 };
const maxSubject = 255;

/** The subject, on one line, and the body of a rule's message. */
export function render(
  { channel, template }: Pick<NewRule, 'channel' | 'template'>,
  unmasked: Subject,
): { subject: string | null; body: string } {
  const subject = channel === 'in_app' ? maskSubject(unmasked) : unmasked;
  const read = (name: string) => specialValue(name, subject) ?? valueAt(subject.payload, name);
  const title = template.subject === null ? null : renderTemplate(template.subject, read);
  const hasSubject = channel === 'email' || channel === 'in_app';
  return {
    subject: hasSubject && title !== null ? shorten(toOneLine(title), maxSubject) : null,
    body: shorten(renderTemplate(template.body, read), maxBody[channel]),
  };
}

/** Members of the team may not see phones and street addresses. */
function maskSubject({ payload, customer }: Subject): Subject {
  return {
    payload: JSON.parse(JSON.stringify(payload), maskField),
    customer: customer && { ...customer, phone: customer.phone && maskDigits(customer.phone) },
  };
}

function maskField(name: string, value: unknown): unknown {
  if (/phone$/.test(name) && typeof value === 'string') return maskDigits(value);
  return /^address[12]$/.test(name) ? null : value;
}

function specialValue(name: string, { payload, customer }: Subject): unknown {
  switch (name) {
    case 'customer_name':
      return formatName(customer);
    case 'customer_phone':
      return customer?.phone ?? '';
    case 'customer_email':
      return customer?.email ?? '';
    case 'order_number':
      return valueAt(payload, 'order.order_number');
    case 'total':
      return formatAmount(payload, 'order.total');
    case 'tracking_number':
      return valueAt(payload, 'shipment.tracking_number') ?? '–';
    case 'tracking_url':
      return valueAt(payload, 'shipment.tracking_url') ?? '';
    case 'refund_amount':
      return formatAmount(payload, 'refund.amount');
    default:
      return undefined;
  }
}

function formatAmount(payload: unknown, path: string): string {
  const [currency, amount] = ['order.currency', path].map((field) => valueAt(payload, field));
  if (typeof currency === 'string' && typeof amount === 'string') return formatMoney(amount, currency);
  return [currency, amount].filter((value) => typeof value === 'string').join(' ');
}

/** With the decimals of its currency: `INR 199.65`, `JPY 500`, `KWD 1.250`. */
function formatMoney(amount: string, currency: string): string {
  const style = { style: 'currency', currency, currencyDisplay: 'code', useGrouping: false } as const;
  const text = new Intl.NumberFormat('en', style).format(amount as Intl.StringNumericLiteral);
  // A narrow or non-breaking space.
  return text.replace(/\s/g, ' ');
}

function formatName(customer: Contact | undefined): string {
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return name === '' ? 'Customer' : name;
}

function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** PostgreSQL stores neither NUL nor halves of characters. */
function shorten(text: string, length: number): string {
  const short = text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return short.replaceAll('\0', '').toWellFormed();
}
