import { defineModule } from '@chowk/kit';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { helpers } from './helpers.ts';
import { listeners } from './order-stats.ts';
import { routes } from './routes.ts';

export const module = defineModule({ routes, helpers, listeners, errors, demo });
