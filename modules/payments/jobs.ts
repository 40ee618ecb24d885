import { type JobTypes, job, Type } from '@chowk/kit';
import { askProviders } from './ask-providers.ts';
import { pruneEvents } from './callbacks.ts';
import { cancelAtProvider, fillCustomers, LinkAtProvider } from './erasure.ts';
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
  'payments.cancel_at_provider': job({
    queue: 'payments',
    data: LinkAtProvider,
    retries: [10, 60, 600, 3_600],
    run: cancelAtProvider,
  }),
  'payments.fill_customers': job({ data: Type.Object({}), schedule: '40 4 * * *', run: fillCustomers }),
  'payments.ask_providers': job({ data: Type.Object({}), schedule: '8-59/15 * * * *', run: askProviders }),
  'payments.prune_events': job({ data: Type.Object({}), schedule: '20 4 * * *', run: pruneEvents }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}
