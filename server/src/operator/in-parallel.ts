/** Enough to hide the latency of a server, and few enough to leave connections for others. */
const parallel = 4;

/** Runs `work` for each item, a few at a time. The results are in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const runAll = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, runAll));
  return results;
}
