import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Shorter ones are refused by their length. */
const minLength = 8;

let common: ReadonlySet<string> | undefined;

/** Why a password, in upper or lower case, is easy to guess, or `undefined`. The list is loaded with the first password. */
export function passwordProblem(password: string): string | undefined {
  common ??= new Set(readList().filter(({ length }) => length >= minLength));
  if (!common.has(password.toLowerCase())) return undefined;
  return 'Many people use this password, so it is easy to guess. Choose another one.';
}

/** Not imported, so that the whole list does not stay in memory. */
function readList(): string[] {
  return JSON.parse(readFileSync(require.resolve('@zxcvbn-ts/language-common/src/passwords.json'), 'utf8'));
}
