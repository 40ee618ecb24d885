import { Type } from './schema.ts';

/** A new password. `passwordProblem` checks its length in bytes. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 72,
  description: 'At least 8 characters, at most 72 bytes.',
});

/** A problem that the schema cannot express. */
export function passwordProblem(password: string): string | undefined {
  // bcrypt ignores further bytes.
  if (Buffer.byteLength(password) > 72) return 'The password must have at most 72 bytes.';
  if (password.includes('\0')) return 'The password must not contain a null character.';
  return undefined;
}
