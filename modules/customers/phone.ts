import type { Ctx } from '@chowk/kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

const formatting = /[\s().\-/‐-―]/g;
const digits = /^\+?\d{4,15}$/;

type Country = Parameters<typeof parsePhoneNumberFromString>[1];

/**
 * A phone as it is stored: E.164 if it is possible in its country, by default the tenant's, else digits with the plus that
 * was sent. `undefined` if it is not a phone.
 */
export function normalizePhone(text: string, country: string): string | undefined {
  const plain = text.trim().replace(formatting, '').replace(/^00/, '+');
  if (!digits.test(plain)) return undefined;
  const number = parse(plain, country);
  // Some possible numbers are too long for E.164, or lose another zero each time they are parsed.
  const isStable = number !== undefined && digits.test(number) && parse(number, country) === number;
  return isStable ? number : plain;
}

function parse(text: string, country: string): string | undefined {
  const number = parsePhoneNumberFromString(text, country as Country);
  return number?.isPossible() ? number.number : undefined;
}

export async function readPhone(ctx: Ctx, text: string): Promise<string | undefined> {
  const { 'general.country': country } = await ctx.settings();
  return normalizePhone(text, country);
}

/** The digits of a phone of an address, which need not be a valid number. */
export function looseDigits(text: string): string | undefined {
  const digitsOnly = text.replace(/\D/g, '');
  return digitsOnly.length >= 4 ? digitsOnly : undefined;
}

/** The digits of a search term that may be a phone, without leading zeros. */
export function phoneDigits(text: string): string | undefined {
  const plain = text.trim().replace(formatting, '').replace(/^\+/, '');
  return /^\d{3,15}$/.test(plain) ? plain.replace(/^0+(?=\d{3})/, '') : undefined;
}

export const phoneProblem = 'The phone must be a phone number, such as +91 98765 43210.';
