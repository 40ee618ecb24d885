import { Type } from './schema.ts';

/** A password that somebody chooses. Its length in bytes is for `passwordProblem` to judge. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 72,
  description: 'At least 8 characters, at most 72 bytes.',
});

/** What is wrong with a new password that the schema has let through, or nothing. */
export function passwordProblem(password: string): string | undefined {
  // What bcrypt does not read protects nothing.
  if (Buffer.byteLength(password) > 72) return 'The password must have at most 72 bytes.';
  if (password.includes('\0')) return 'The password must not contain a null character.';
  return undefined;
}
