import { afterCommit, defineModule, type JobTypes, systemJob, Type } from '@chowk/kit';
import { applicationActions } from './application-actions.ts';
import { copyCatalogue, onMandatoryChanged } from './catalogue.ts';
import { errors } from './errors.ts';
import { notifications } from './notify-team.ts';
import { provisioningJobs } from './provisioning.ts';
import { referralCodeActions } from './referral-code-actions.ts';
import { sandboxActions, sandboxJobs } from './sandboxes.ts';
import { signupActions } from './signup.ts';
import { tenantActions } from './tenants.ts';

const catalogueJobs = {
  'onboarding.copy_catalogue': systemJob({
    data: Type.Object({ parentId: Type.String(), tenantId: Type.String() }),
    run: copyCatalogue,
  }),
};

export const module = defineModule({
  actions: { ...applicationActions, ...referralCodeActions, ...sandboxActions, ...signupActions, ...tenantActions },
  jobs: { ...provisioningJobs, ...catalogueJobs, ...sandboxJobs },
  errors,
  notifications,
  listeners: [afterCommit('product.mandatory_changed', 'copy', onMandatoryChanged)],
  tags: {
    'Reseller registration': 'Applications of businesses, by referral code.',
    'Reseller applications': 'The review of applications.',
    Sandboxes: 'Tenants for tests, which send nothing.',
    'Referral codes': 'Codes that resellers give to businesses.',
  },
});

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof catalogueJobs & typeof sandboxJobs> {}
}
