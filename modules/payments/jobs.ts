import { type JobTypes, job, Type } from '@chowk/kit';
import { pruneEvents } from './callbacks.ts';
import { refundJob } from './refunds.ts';

export const jobs = {
  'payments.refund': refundJob,
  'payments.prune_events': job({ data: Type.Object({}), schedule: '20 4 * * *', run: pruneEvents }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}
