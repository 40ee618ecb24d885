import { job, Type } from '@chowk/kit';
import { releaseExpired } from './reservations.ts';

export const jobs = {
  'products.release_expired': job({
    data: Type.Object({}),
    schedule: '* * * * *',
    // The next minute is the next try.
    retries: [],
    run: releaseExpired,
  }),
};
