import { defineModule } from '@chowk/kit';
import { helpers } from './helpers.ts';

export const module = defineModule({ helpers });
