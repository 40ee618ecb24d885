import { type JobTypes, job, Type } from '@chowk/kit';
import { askProviders } from './ask-providers.ts';
import { pruneEvents } from './callbacks.ts';
import { cancelInBackground } from './links.ts';
import { refundJob } from './refunds.ts';
import { LinkKey } from './schemas.ts';

export const jobs = {
  'payments.refund': refundJob,
  'payments.cancel_link': job({
    queue: 'payments',
    data: LinkKey,
    retries: [10, 60, 600, 3_600],
    run: cancelInBackground,
  }),
  'payments.ask_providers': job({ data: Type.Object({}), schedule: '*/5 * * * *', run: askProviders }),
  'payments.prune_events': job({ data: Type.Object({}), schedule: '20 4 * * *', run: pruneEvents }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}
