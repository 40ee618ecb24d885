import { ById, systemAction, Type, Uuid } from '@chowk/kit';
import { getForm } from './addresses.ts';
import { applicationList, getApplication, getStatus } from './applications.ts';
import { apply, checkApplication, submittedMessage } from './apply.ts';
import { listDocuments, uploadDocument } from './documents.ts';
import { approve, reject, rejectKyc, retry, verifyKyc } from './review.ts';
import {
  Application,
  ApplicationForm,
  Documents,
  DocumentUploaded,
  ExistingApplication,
  NewApplication,
  NewDocument,
  Provisioning,
  PublicStatus,
  Rejection,
  Submitted,
} from './schemas.ts';

const open = { tag: 'Reseller registration', public: true, tenant: 'none', graphql: false } as const;
const view = { tag: 'Reseller applications', needs: 'reseller.applications.view' } as const;
const review = { tag: 'Reseller applications', needs: 'reseller.applications.review' } as const;
const notFound = 'onboarding.application_not_found';
const states = [notFound, 'onboarding.wrong_status'];
const answer = (message: string) => ({ key: 'application', message });

export const applicationActions = {
  'onboarding.apply': systemAction({
    ...open,
    summary: 'Apply for an organization of your own',
    description:
      'Needs a referral code of a reseller. If the code asks for documents, upload them next. A domain that is taken when the ' +
      'organization is set up is replaced by one derived from the name of the business.',
    http: 'POST /reseller-register/apply',
    input: NewApplication,
    output: Submitted,
    answer: { status: 201, message: submittedMessage },
    errors: ['onboarding.application_exists'],
    responses: {
      409: { description: 'There already is an application with this address.', body: ExistingApplication },
    },
    check: checkApplication,
    run: apply,
  }),
  'onboarding.getForm': systemAction({
    ...open,
    summary: 'Get what the form of an application shows',
    http: 'GET /reseller-register/form',
    output: ApplicationForm,
    run: getForm,
  }),
  'onboarding.status': systemAction({
    ...open,
    summary: 'Get the state of an application',
    description: 'For everyone who knows its id. It shows only the types of the documents.',
    http: 'GET /reseller-register/:id/status',
    input: Type.Object({ id: Uuid }),
    output: PublicStatus,
    errors: [notFound],
    run: getStatus,
  }),
  'onboarding.uploadDocument': systemAction({
    ...open,
    summary: 'Upload an identity document of an application',
    description:
      'Needs the `upload_token` that the applicant got when applying and by mail. A document can be replaced until all are ' +
      'there, and after they were rejected. Only reviewers can read it.',
    http: 'POST /reseller-register/:id/documents',
    accepts: 'multipart',
    headers: Type.Object({ 'X-Upload-Token': Type.String({ description: 'The `upload_token` of the application.' }) }),
    input: NewDocument,
    output: DocumentUploaded,
    answer: { status: 201, message: 'Document received.' },
    errors: [notFound, 'onboarding.upload_token_needed', 'onboarding.documents_closed'],
    run: uploadDocument,
  }),
  'onboarding.listDocuments': systemAction({
    ...review,
    summary: 'List the documents of an application',
    description: 'With links that work for five minutes. Each call is recorded.',
    http: 'GET /admin/reseller-applications/:id/documents',
    audited: true,
    input: ById,
    output: Documents,
    errors: [notFound],
    run: listDocuments,
  }),
  'onboarding.listApplications': systemAction({
    ...view,
    summary: 'List reseller applications',
    description: 'A reseller sees the applications with its own codes, the owner of the platform all of them.',
    http: 'GET /admin/reseller-applications',
    ...applicationList.paged,
  }),
  'onboarding.getApplication': systemAction({
    ...view,
    summary: 'Get a reseller application',
    http: 'GET /admin/reseller-applications/:id',
    input: ById,
    output: Application,
    answer: { key: 'application' },
    errors: [notFound],
    run: getApplication,
  }),
  'onboarding.verifyKyc': systemAction({
    ...review,
    summary: 'Accept the documents of an application',
    description: 'With a code that approves automatically, the organization is set up next.',
    http: 'POST /admin/reseller-applications/:id/kyc/verify',
    input: ById,
    output: Application,
    answer: answer('The documents are verified.'),
    errors: [...states, 'onboarding.kyc_not_submitted'],
    run: verifyKyc,
  }),
  'onboarding.rejectKyc': systemAction({
    ...review,
    summary: 'Reject the documents of an application',
    description: 'The applicant is mailed the reason and may upload other documents.',
    http: 'POST /admin/reseller-applications/:id/kyc/reject',
    input: Rejection,
    output: Application,
    answer: answer('The documents were rejected.'),
    errors: states,
    run: rejectKyc,
  }),
  'onboarding.approve': systemAction({
    ...review,
    summary: 'Approve an application',
    description: 'Its organization is set up in the background; the application shows the progress.',
    http: 'POST /admin/reseller-applications/:id/approve',
    input: ById,
    output: Provisioning,
    answer: { status: 202, message: 'The application was approved. The organization is being set up.' },
    errors: [...states, 'onboarding.kyc_not_verified'],
    run: async (ctx, key) => ({ status: (await approve(ctx, key)).status }),
  }),
  'onboarding.reject': systemAction({
    ...review,
    summary: 'Reject an application',
    description: 'The applicant is mailed the reason. What a failed attempt has created is removed.',
    http: 'POST /admin/reseller-applications/:id/reject',
    input: Rejection,
    output: Application,
    answer: answer('The application was rejected.'),
    errors: states,
    run: reject,
  }),
  'onboarding.retry': systemAction({
    ...review,
    summary: 'Try again to set up the organization of a failed application',
    http: 'POST /admin/reseller-applications/:id/retry',
    input: ById,
    output: Provisioning,
    answer: { status: 202, message: 'The organization is being set up.' },
    errors: states,
    run: async (ctx, key) => ({ status: (await retry(ctx, key)).status }),
  }),
};
