import type { Discount, NewDiscount } from '@chowk/client';
import { plainAmount } from '../../format/amount.ts';
import { localTime, parseLocalTime } from '../../time/times.ts';

/** The values of the form. A checkbox that is not checked has none, and neither has a field that is not shown. */
export interface DiscountTexts {
  readonly code: string;
  readonly title: string;
  readonly kind: string;
  readonly value?: string;
  readonly applies_to: string;
  readonly minimum_subtotal: string;
  readonly minimum_quantity: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly usage_limit: string;
  readonly once_per_customer?: string;
  readonly combines?: string;
}

export const emptyTexts: DiscountTexts = {
  code: '',
  title: '',
  kind: 'percent',
  value: '',
  applies_to: 'all',
  minimum_subtotal: '',
  minimum_quantity: '',
  starts_at: '',
  ends_at: '',
  usage_limit: '',
};

export function readTexts(discount: Discount): DiscountTexts {
  const { kind, value, starts_at, ends_at, once_per_customer, combines } = discount;
  return {
    code: discount.code,
    title: discount.title ?? '',
    kind,
    value: kind === 'percent' ? String(Number(value)) : kind === 'fixed' ? value : '',
    applies_to: discount.applies_to,
    minimum_subtotal: discount.minimum_subtotal ?? '',
    minimum_quantity: String(discount.minimum_quantity ?? ''),
    starts_at: starts_at ? localTime(starts_at) : '',
    ends_at: ends_at ? localTime(ends_at) : '',
    usage_limit: String(discount.usage_limit ?? ''),
    ...(once_per_customer && { once_per_customer: 'on' }),
    ...(combines && { combines: 'on' }),
  };
}

/** What the platform takes. What is not a number is sent as it is, and refused with a reason. */
export function toDiscountInput(texts: DiscountTexts, targetIds: readonly string[]): NewDiscount {
  const { kind, value = '', applies_to } = texts;
  return {
    code: texts.code.trim(),
    title: texts.title.trim() || null,
    kind: kind as NewDiscount['kind'],
    value: kind === 'free_shipping' ? '0' : plainAmount(value.replace('%', '')),
    applies_to: applies_to as Discount['applies_to'],
    target_ids: applies_to === 'all' ? [] : targetIds,
    minimum_subtotal: plainAmount(texts.minimum_subtotal) || null,
    minimum_quantity: readCount(texts.minimum_quantity),
    starts_at: readTime(texts.starts_at),
    ends_at: readTime(texts.ends_at),
    usage_limit: readCount(texts.usage_limit),
    once_per_customer: texts.once_per_customer !== undefined,
    combines: texts.combines !== undefined,
  };
}

/** The fields that differ. A time that is shown without its seconds is left as it is. */
export function changedFields(before: NewDiscount, after: NewDiscount): Partial<NewDiscount> {
  const isChanged = (name: keyof NewDiscount) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => isChanged(name as keyof NewDiscount)));
}

function readCount(text: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  return /^\d+$/.test(typed) ? Number(typed) : (typed as unknown as number);
}

function readTime(text: string): string | null {
  return text === '' ? null : parseLocalTime(text);
}

/** Without letters and digits that look alike. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

export function generateCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(codeLength));
  return [...bytes].map((byte) => letters[byte % letters.length]).join('');
}
