import type { MailOutcome } from '@chowk/kit/kernel';

interface SmtpError extends Error {
  /** The status of the mail server's answer. */
  readonly responseCode?: number;
  readonly response?: string;
  readonly code?: string;
}

const maxLength = 300;

/** An answer with 5xx is final (RFC 5321); everything else may succeed later. */
export function describeFailure(error: unknown, to: string): MailOutcome {
  const { responseCode, response, code, message } = error as SmtpError;
  if (code === 'EENVELOPE' && responseCode === undefined) {
    return { status: 'failed', reason: 'The address is not valid for mails.' };
  }
  if (responseCode === undefined) return { status: 'retry', reason: 'The mail server cannot be reached.' };
  const answer = (response ?? message).replaceAll(to, 'the address').slice(0, maxLength);
  // A sign-in that is refused is a mistake in the configuration, which the operator corrects.
  const isFinal = responseCode >= 500 && code !== 'EAUTH';
  return { status: isFinal ? 'failed' : 'retry', reason: `The mail server answered: ${answer}` };
}
