import { defineModule, type OperationTypes } from '@chowk/kit';
import { requireInstallAccess } from './access.ts';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { greeting } from './greeting.ts';
import { installCommand } from './install-command.ts';
import { operations } from './operations.ts';
import { redirectPage } from './redirect-page.ts';
import { resetCommand } from './reset-command.ts';

export const module = defineModule({
  actions,
  operations,
  gates: { '/install': requireInstallAccess },
  redirectPage,
  greeting,
  commands: [installCommand, resetCommand],
  errors,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    installation: OperationTypes<typeof operations>;
  }
}
