/** Further statements are sent unnamed, so that texts that vary without bound do not fill the memory of the server. */
const maxNames = 5_000;
const names = new Map<string, string>();
let nameCount = 0;

/** The name under which a statement is prepared, the same on every connection. */
export function statementName(text: string): string | undefined {
  return names.get(text) ?? (names.size < maxNames ? assignName(text) : undefined);
}

/** Makes every connection prepare the statement again: the plan under its old name is out of date. */
export function renameStatement(text: string): void {
  if (names.has(text)) assignName(text);
}

function assignName(text: string): string {
  const name = `c${nameCount.toString(36)}`;
  nameCount += 1;
  names.set(text, name);
  return name;
}
