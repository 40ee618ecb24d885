import { invalid } from '@chowk/kit';

/** What is wrong with a new password and its repetition, or nothing. The schema has seen to its length in characters. */
export function checkNewPassword({
  password,
  password_confirmation,
}: {
  password: string;
  password_confirmation: string;
}): void {
  if (password !== password_confirmation) {
    throw invalid({ password_confirmation: ['The password confirmation does not match.'] });
  }
  // What bcrypt does not read protects nothing.
  if (Buffer.byteLength(password) > 72) throw invalid({ password: ['The password must have at most 72 bytes.'] });
  if (password.includes('\0')) throw invalid({ password: ['The password must not contain a null character.'] });
}
