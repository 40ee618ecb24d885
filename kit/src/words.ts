import { type Sql, sql } from './sql.ts';

/** More words than anyone means; each of them costs a look into the index. */
const mostWords = 8;

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).slice(0, mostWords);
}

/** Whether a trigram index is of no help: it is made of three characters each. */
export function isShortWord(word: string): boolean {
  return [...word].length < 3;
}

/**
 * Every word is somewhere in the column, whose text is folded (`fold` in SQL): whatever case and accents. With `once` the
 * pattern is made once, where PostgreSQL would make it for every row if it keeps the plan; but then it does not know how
 * many rows to expect.
 */
export function containsWords(column: Sql, words: readonly string[], { once = false } = {}): Sql[] {
  const made = (pattern: Sql) => (once ? sql`(SELECT ${pattern})` : pattern);
  return words.map((word) =>
    isShortWord(word)
      ? sql`strpos(${column}, ${made(sql`fold(${word})`)}) > 0`
      : sql`${column} LIKE ${made(sql`fold_pattern(${word})`)}`,
  );
}
