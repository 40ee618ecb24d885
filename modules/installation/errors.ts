import { defineErrors } from '@chowk/kit';

export const errors = {
  'installation.installed': { status: 403, message: 'The platform is already installed. Sign in.' },
  'installation.token_required': {
    status: 403,
    message: 'Send the INSTALL_TOKEN of the operator in the header X-Install-Token.',
  },
  'installation.out_of_order': { status: 409, message: 'Complete step {step} ({name}) first.' },
} as const;

export const fail = defineErrors(errors);
