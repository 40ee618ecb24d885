/** What is typed after an `@` at the caret: where the `@` is, and what follows it. */
export interface MentionQuery {
  readonly start: number;
  readonly text: string;
}

const maxQuery = 60;

/** An `@` inside of a word, as in an address, begins no mention. */
export function findQuery(text: string, caret: number): MentionQuery | undefined {
  const before = text.slice(0, caret);
  const start = before.lastIndexOf('@');
  if (start < 0 || caret - start > maxQuery || /[\p{L}\p{N}]$/u.test(before.slice(0, start))) return undefined;
  const query = before.slice(start + 1);
  return query.includes('\n') ? undefined : { start, text: query };
}

interface Named {
  readonly name: string;
}

/** Those whose name, or one of its words, begins so; in the order of their names. */
export function matchNames<Person extends Named>(people: readonly Person[], query: string): readonly Person[] {
  const text = query.toLowerCase();
  const begins = (name: string) => name.startsWith(text) || name.split(/\s+/).some((word) => word.startsWith(text));
  return people
    .filter(({ name }) => begins(name.toLowerCase()))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

interface Part {
  readonly at: number;
  readonly text: string;
  readonly isMention: boolean;
}

/** The text in parts, with `@` and a name as the platform recognizes them: the longest one, and not the beginning of a word. */
export function splitMentions(text: string, names: readonly string[]): readonly Part[] {
  const longestFirst = names
    .filter((name) => name !== '')
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  if (longestFirst.length === 0) return [{ at: 0, text, isMention: false }];
  const pattern = new RegExp(`(@(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}]))`, 'iu');
  let at = 0;
  return text.split(pattern).flatMap((part, index) => {
    const start = at;
    at += part.length;
    return part === '' ? [] : [{ at: start, text: part, isMention: index % 2 === 1 }];
  });
}
