import { userInfo } from 'node:os';

/** The account of the operating system that runs the command, for the history. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a user without a name.
    return `uid ${process.getuid?.()}`;
  }
}
