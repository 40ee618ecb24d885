import { defineErrors } from '@chowk/kit';

export const errors = {
  'onboarding.application_not_found': { status: 404, message: 'There is no such application.' },
  'onboarding.application_exists': {
    status: 409,
    message: 'There already is an application with this email address.',
  },
  'onboarding.wrong_status': { status: 409, message: 'The application is {status}: it cannot be {change} now.' },
  'onboarding.kyc_not_verified': {
    status: 409,
    message: 'The identity documents are not verified yet. Verify them first.',
  },
  'onboarding.kyc_not_submitted': {
    status: 409,
    message: 'The applicant has not uploaded all identity documents yet: {documents} is missing.',
  },
  'onboarding.upload_token_needed': {
    status: 403,
    message:
      'Send the `upload_token` of the application in the header X-Upload-Token, or open the link that was mailed.',
  },
  'onboarding.documents_closed': {
    status: 409,
    message: 'This application takes no documents now: it needs none, or they are being reviewed.',
  },
  'onboarding.referral_code_not_found': { status: 404, message: 'There is no such referral code.' },
  'onboarding.referral_code_used': {
    status: 409,
    message: 'Applications use this referral code. Set `expires_at` to end it.',
  },
  'onboarding.signup_closed': {
    status: 403,
    message: 'New organizations cannot sign up here. Ask the operator of the platform for an invitation.',
  },
  'onboarding.email_not_verified': {
    status: 403,
    message: 'Verify your email address first. Then you can create another organization.',
  },
  'onboarding.sign_in_needed': {
    status: 403,
    message: 'Only a person who has signed in can create an organization or a sandbox, not an API client.',
  },
  'onboarding.not_this_tenant': {
    status: 404,
    message: 'This request is for the tenant {tenant}. Send the id of that tenant, or the request to the other one.',
  },
  'onboarding.in_sandbox': { status: 409, message: 'A sandbox has no sandboxes of its own.' },
  'onboarding.too_many_sandboxes': { status: 409, message: 'There are three sandboxes already. Delete one first.' },
  'onboarding.sandbox_not_found': { status: 404, message: 'This tenant has no such sandbox.' },
} as const;

export const fail = defineErrors(errors);
