const placeholder = /\{\{([^{}]*)\}\}/g;

/** The names between double braces. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name.trim());
}

/** Replaces the placeholders in one pass: nothing in a value is a placeholder. */
export function renderTemplate(text: string, read: (name: string) => unknown): string {
  return text.replace(placeholder, (_, name: string) => toText(read(name.trim())));
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(toText).join(', ') : String(value);
}
