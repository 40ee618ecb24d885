import { type Issues, NewPassword, passwordProblem, type Static, Type } from '@chowk/kit';
import { commonPasswordProblem } from './common-passwords.ts';

export const ChosenPassword = Type.Object({
  password: NewPassword,
  password_confirmation: Type.String({ maxLength: 1000 }),
});
export type ChosenPassword = Static<typeof ChosenPassword>;

/** Adds problems that the schema cannot express. */
export function checkNewPassword({ password, password_confirmation }: Partial<ChosenPassword>, issues: Issues): void {
  if (password === undefined) return;
  const problem = passwordProblem(password) ?? commonPasswordProblem(password);
  if (problem) issues.add('password', problem);
  if (password_confirmation === undefined || password_confirmation === password) return;
  issues.add('password_confirmation', 'The password confirmation does not match.', 'mismatch');
}
