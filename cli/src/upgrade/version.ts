const pattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** A semantic version without build metadata. */
export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 64 && pattern.test(text);
}

/** Negative if the first version is older, positive if it is newer (Semantic Versioning 2.0, section 11). */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [split(one), split(other)];
  const difference = compareLists(a.numbers, b.numbers);
  if (difference !== 0) return difference;
  // A version without a suffix such as -beta.1 is newer than those with one.
  if (a.suffix.length === 0 || b.suffix.length === 0) return b.suffix.length - a.suffix.length;
  return compareLists(a.suffix, b.suffix);
}

function split(version: string): { readonly numbers: readonly string[]; readonly suffix: readonly string[] } {
  const dash = version.indexOf('-');
  if (dash === -1) return { numbers: version.split('.'), suffix: [] };
  return { numbers: version.slice(0, dash).split('.'), suffix: version.slice(dash + 1).split('.') };
}

function compareLists(one: readonly string[], other: readonly string[]): number {
  for (const [index, a] of one.entries()) {
    const b = other[index];
    if (b === undefined) return 1;
    const difference = compareParts(a, b);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Numbers are older than words. */
function compareParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}
