import { newKey } from '@chowk/client';
import { storageKey } from '../session/session.ts';

type Send<Input, Result> = (input: Input, options: { readonly idempotencyKey: string }) => Promise<Result>;
type Keys = Readonly<Record<string, string>>;

const submissionKey = (form: string) => storageKey(`draft.sent.${form}`);

/**
 * Sends a form with an idempotency key that stays the same for the same input until it succeeds or is forgotten, also over a
 * reload: a second try after a lost response does not create or pay anything twice.
 */
export async function submit<Input, Result>(form: string, send: Send<Input, Result>, input: Input): Promise<Result> {
  const content = JSON.stringify(input);
  const place = submissionKey(form);
  const keys = readKeys(place);
  const idempotencyKey = keys[content] ?? newKey();
  localStorage.setItem(place, JSON.stringify({ ...keys, [content]: idempotencyKey }));
  const result = await send(input, { idempotencyKey });
  localStorage.removeItem(place);
  return result;
}

/** The user has started over: the same input is sent as a new request. */
export function forgetSubmission(form: string): void {
  localStorage.removeItem(submissionKey(form));
}

function readKeys(place: string): Keys {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '{}');
  } catch {
    return {};
  }
}
