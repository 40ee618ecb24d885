/** The exit codes of the program. */
export const exitCodes = {
  done: 0,
  /** The file system, or anything else. */
  general: 1,
  usage: 2,
  notSignedIn: 3,
  /** The server refused the request. */
  refused: 4,
  network: 5,
  /** A checksum, a missing file of a release, or an error of the server. */
  server: 6,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the program with a message for the user: what is wrong and what to do. */
export class ExitError extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
