import { ChowkError } from '@chowk/client';
import { errorMessage } from '../format/error-message.ts';

const atOnce = 4;

/** Changes records one by one, a few at the same time. Returns why some could not change. */
export async function changeEach(
  ids: readonly string[],
  change: (id: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const refused: string[] = [];
  const waiting = [...ids];
  async function work(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await change(id);
      } catch (error) {
        const [problem] = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
        refused.push(problem?.message ?? errorMessage(error));
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return refused;
}
