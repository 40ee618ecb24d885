/** The candidate that differs least from a mistyped word, if any is close enough. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const distances = candidates.map((candidate) => ({ candidate, distance: distance(word, candidate) }));
  const close = distances.filter((one) => one.distance <= limit).sort((one, other) => one.distance - other.distance);
  return close[0]?.candidate ?? candidates.find((candidate) => word.length > 1 && candidate.startsWith(word));
}

/** The number of letters to insert, delete, replace or swap. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) next[j] = Math.min(next[j] as number, (before[j - 2] ?? 0) + 1);
    }
    [before, row] = [row, next];
  }
  return row[to.length] as number;
}
