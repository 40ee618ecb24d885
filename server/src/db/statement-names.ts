/** Each name is a prepared statement on every connection, so its number bounds the memory of the server. */
export const maxStatements = 1_000;

/** The names of recently used texts. When it is half full, it becomes `older`, and the previous `older` is dropped. */
let recent = new Map<string, string>();
let older = new Map<string, string>();
let nameCount = 0;

/** The name under which a statement is prepared, the same on every connection. No name is used for a second text. */
export function statementName(text: string): string {
  return recent.get(text) ?? remember(text, older.get(text) ?? newName());
}

/** Makes every connection prepare the statement again: the plan under its old name is out of date. */
export function renameStatement(text: string): void {
  remember(text, newName());
}

/** Whether the text still has the name. Otherwise the name is not used again. */
export function hasName(text: string, name: string): boolean {
  return (recent.get(text) ?? older.get(text)) === name;
}

function remember(text: string, name: string): string {
  if (recent.size >= maxStatements / 2) {
    older = recent;
    recent = new Map();
  }
  recent.set(text, name);
  return name;
}

function newName(): string {
  const name = `c${nameCount.toString(36)}`;
  nameCount += 1;
  return name;
}
