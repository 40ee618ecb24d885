import type { ChowkError } from '@chowk/client';
import { errorMessage, fieldMessages } from '../format/error-message.ts';

/* What a form shows of an error of the platform. */

type Fields = ChowkError['fields'];

/** An error disappears when its field is edited. */
export function currentErrors(fields: Fields, edited: readonly string[]): Readonly<Record<string, string>> {
  const current = Object.entries(fields).filter(([name]) => !edited.includes(name));
  return Object.fromEntries(
    current.map(([name, problems]) => [name, problems.map(({ message }) => message).join(' ')]),
  );
}

/** The fields whose value another record has. */
export function takenFields(fields: Fields, edited: readonly string[]): readonly string[] {
  return Object.keys(currentErrors(fields, edited)).filter((name) =>
    fields[name]?.some(({ code }) => code === 'taken'),
  );
}

/** Messages about fields that the form does not show. `text` is what it shows already. */
export function unshownMessage(fields: Fields, shown: readonly string[], text: string): string | undefined {
  const others = Object.entries(fields).filter(([name]) => !shown.includes(name));
  const messages = fieldMessages(Object.fromEntries(others)).filter((message) => !text.includes(message));
  return messages.length === 0 ? undefined : messages.join(' ');
}

/** A failure that belongs to no field. */
export function formProblem(failure: unknown, fields: Fields, unshown: string | undefined): string | undefined {
  return failure !== undefined && Object.keys(fields).length === 0 ? errorMessage(failure) : unshown;
}
