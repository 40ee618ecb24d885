import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { jobs } from './jobs.ts';
import { releasesKeyCommand } from './key-command.ts';
import { releasesPublishCommand } from './publish-command.ts';

export const module = defineModule({
  actions,
  errors,
  jobs,
  commands: [releasesPublishCommand, releasesKeyCommand],
  tags: { Releases: 'Releases of the command-line client, and the channel they come from.' },
});
