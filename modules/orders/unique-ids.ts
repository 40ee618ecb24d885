import { invalid, taken, violatedIndex } from '@chowk/kit';

/** Runs a write and reports an external id that another order has. */
export async function whileUnique<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) !== 'order_external_ids_unique') throw error;
    throw invalid({ external_ids: taken('Another order has one of these ids on its platform.') });
  }
}
