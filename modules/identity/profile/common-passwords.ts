import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Shorter ones are refused by their length. */
const minLength = 8;

let common: ReadonlySet<string> | undefined;

/** Whether a password, in any case, is one of those that attackers try first. The list is loaded with the first password. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readList().filter(({ length }) => length >= minLength));
  return common.has(password.toLowerCase());
}

/** Not imported, so that the whole list does not stay in memory. */
function readList(): string[] {
  return JSON.parse(readFileSync(require.resolve('@zxcvbn-ts/language-common/src/passwords.json'), 'utf8'));
}
