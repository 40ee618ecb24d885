/** Round values from 0 to at least the maximum, three or four steps: `[0, 500, 1000, 1500]`. */
export function ticksTo(max: number): readonly number[] {
  if (max <= 0) return [0, 1];
  const rough = max / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
}

/** For counts: whole numbers only. */
export function wholeTicksTo(max: number): readonly number[] {
  return max < 4
    ? Array.from({ length: Math.max(1, Math.ceil(max)) + 1 }, (_, index) => index)
    : ticksTo(max).filter(Number.isInteger);
}

/** Positions for `count` labels among `length` points, evenly spaced, with the first and the last. */
export function labelIndexes(length: number, count: number): readonly number[] {
  if (length <= count) return Array.from({ length }, (_, index) => index);
  const indexes = Array.from({ length: count }, (_, index) => Math.round((index * (length - 1)) / (count - 1)));
  return [...new Set(indexes)];
}
