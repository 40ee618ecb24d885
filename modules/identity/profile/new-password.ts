import { Issues, NewPassword, type Static, Type } from '@chowk/kit';
import { commonPasswordProblem } from './common-passwords.ts';

export const ChosenPassword = Type.Object({
  password: NewPassword,
  password_confirmation: Type.String({ maxLength: 1000, sameAs: 'password' }),
});
export type ChosenPassword = Static<typeof ChosenPassword>;

/** Checks that the schema cannot express. */
export function checkNewPassword(chosen: ChosenPassword): void {
  const issues = new Issues();
  explainNewPassword(chosen, issues);
  issues.throwIfAny();
}

export function explainNewPassword({ password }: Partial<ChosenPassword>, issues: Issues): void {
  const problem = password === undefined ? undefined : commonPasswordProblem(password);
  if (problem) issues.add('password', problem);
}
