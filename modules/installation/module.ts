import { defineModule } from '@chowk/kit';

export const module = defineModule({ routes: [] });
