/** At most 20 names. Names that are not valid in a header are left out. */
export function ignoredFieldsHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const valid = names.filter((name) => /^[\x21-\x7e]{1,100}$/.test(name)).slice(0, 20);
  return { 'ignored-fields': valid.join(', ') || 'some' };
}
