import { invalid, passwordProblem } from '@chowk/kit';

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
  const problem = passwordProblem(password);
  if (problem) throw invalid({ password: [problem] });
}
