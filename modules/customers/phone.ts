import type { Ctx } from '@chowk/kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** What people write between the digits of a phone number. */
const formatting = /[\s().\-/‐-―]/g;
const digits = /^\+?\d{4,15}$/;

type Country = Parameters<typeof parsePhoneNumberFromString>[1];

/**
 * A phone as it is stored: E.164 where it is a number of a country, the tenant's own unless it names another, else its
 * digits with the plus it came with: without, it would later be taken for a number of the tenant's country. `undefined`
 * if it is none.
 */
export function normalizePhone(text: string, country: string): string | undefined {
  const plain = text.trim().replace(formatting, '').replace(/^00/, '+');
  if (!digits.test(plain)) return undefined;
  const number = parse(plain, country);
  // Some that are possible are too long for E.164, or lose one zero more each time they are read.
  const isSettled = number !== undefined && digits.test(number) && parse(number, country) === number;
  return isSettled ? number : plain;
}

function parse(text: string, country: string): string | undefined {
  const number = parsePhoneNumberFromString(text, country as Country);
  return number?.isPossible() ? number.number : undefined;
}

/** A phone as a caller of the tenant writes it. */
export async function readPhone(ctx: Ctx, text: string): Promise<string | undefined> {
  const { 'general.country': country } = await ctx.settings();
  return normalizePhone(text, country);
}

/** For the phone of an address, which identifies nobody: the digits of whatever has enough of them. */
export function looseDigits(text: string): string | undefined {
  const digitsOnly = text.replace(/\D/g, '');
  return digitsOnly.length >= 4 ? digitsOnly : undefined;
}

/** The digits of a search that may mean a phone, without the zero that is dialled at home. */
export function phoneDigits(text: string): string | undefined {
  const plain = text.trim().replace(formatting, '').replace(/^\+/, '');
  return /^\d{3,15}$/.test(plain) ? plain.replace(/^0+(?=\d{3})/, '') : undefined;
}

export const phoneProblem = 'The phone must be a phone number, such as +91 98765 43210.';
