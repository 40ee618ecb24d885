/** Waits for the work, but not longer. */
export async function withTimeout(seconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
