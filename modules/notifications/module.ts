import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { helpers } from './internal-api.ts';
import { jobs } from './send.ts';

export const module = defineModule({ actions, helpers, jobs, errors, demo });
