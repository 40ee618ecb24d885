import { type Issues, NewPassword, type Static, Type } from '@chowk/kit';
import { passwordProblem } from './common-passwords.ts';

export const ChosenPassword = Type.Object({
  password: NewPassword,
  password_confirmation: Type.String({ maxLength: 1000, sameAs: 'password' }),
});
export type ChosenPassword = Static<typeof ChosenPassword>;

/** Adds problems that the schema cannot express. */
export function checkNewPassword({ password }: Partial<ChosenPassword>, issues: Issues): void {
  if (password === undefined) return;
  const problem = passwordProblem(password);
  if (problem) issues.add('password', problem);
}
