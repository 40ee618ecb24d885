import { defineModule } from '@chowk/kit';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { jobs } from './jobs.ts';
import { operations } from './operations.ts';
import { routes } from './routes.ts';

export const module = defineModule({ routes, operations, jobs, errors, demo });
