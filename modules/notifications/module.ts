import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { helpers } from './internal-api.ts';
import { jobs } from './send.ts';

export const module = defineModule({ actions, events, helpers, jobs, errors, demo });
