import { type ApplicationState, ChowkError } from '@chowk/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { errorMessage } from '../../format/error-message.ts';
import { anonymous } from '../../session/session.ts';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Step } from '../install/step.tsx';
import { DocumentUpload } from './document-upload.tsx';
import { ProvisioningSteps } from './provisioning-steps.tsx';
import { findUploadToken } from './upload-token.ts';

const secondsByStatus = { provisioning: 2, pending: 15, failed: 30 };

/** How often to look: often while the organization is being set up, never again once nothing can change. */
function pollInterval(state: ApplicationState | undefined, error: Error | null): number | false {
  if (isUnknown(error)) return false;
  const status = state?.status ?? 'pending';
  return status === 'completed' || status === 'rejected' ? false : secondsByStatus[status] * 1_000;
}

function isUnknown(error: Error | null): boolean {
  return error instanceof ChowkError && (error.status === 404 || error.status === 422);
}

/** How far an application is, and what the applicant has to do. */
export function ApplicationPage() {
  const { id } = useParams({ from: '/apply/$id' });
  const { data, error } = useQuery({
    queryKey: keys.ownApplication(id),
    queryFn: () => anonymous.onboarding.status({ id }),
    refetchInterval: ({ state }) => pollInterval(state.data, state.error),
  });
  if (isUnknown(error)) return <UnknownApplication />;
  if (!data) {
    return (
      <EntryLayout isWide title="Your application">
        {error ? <ReadError error={error} /> : <Skeleton className="h-64 w-full" />}
      </EntryLayout>
    );
  }
  const { title, lead } = addressText(data);
  return (
    <EntryLayout isWide title={title} lead={lead}>
      <div role="status" className="sr-only">
        {title}
      </div>
      {error && <Notice tone="warning">{errorMessage(error)} What you see may be out of date.</Notice>}
      <Outcome application={data} />
      {data.status !== 'rejected' && <Progress application={data} />}
    </EntryLayout>
  );
}

function UnknownApplication() {
  return (
    <EntryLayout isWide title="There is no such application" lead="Check the address, or open the link in our email.">
      <Link to="/apply" className="justify-self-start text-accent underline-offset-4 hover:underline">
        Apply for an organization
      </Link>
    </EntryLayout>
  );
}

const keepAddress = 'You can close this page: our email has a link to it.';

function addressText({ status, kyc_required, kyc_status }: ApplicationState): { title: string; lead: ReactNode } {
  if (status === 'completed') {
    return {
      title: 'Your organization is ready',
      lead: 'Sign in with the email that you gave us. If you gave no password, our email has a link to choose one.',
    };
  }
  if (status === 'rejected') {
    return { title: 'Your application was not approved', lead: 'The reseller who reviews it gave this reason:' };
  }
  if (status === 'failed') {
    return {
      title: 'Setting up your organization takes longer',
      lead: 'Your application was approved, but a problem occurred. We are looking into it and will email you.',
    };
  }
  if (status === 'provisioning') {
    return {
      title: 'Your organization is being set up',
      lead: 'This takes less than a minute. You can watch it here.',
    };
  }
  return kyc_required && (kyc_status === 'pending' || kyc_status === 'rejected')
    ? {
        title: 'Upload your documents',
        lead: `We need them to know who you are. Only reviewers see them. ${keepAddress}`,
      }
    : { title: 'Your application is being reviewed', lead: `We will email you when it is decided. ${keepAddress}` };
}

function Outcome({ application }: { readonly application: ApplicationState }) {
  const { status, kyc_status, rejection_reason, url } = application;
  if (status === 'completed' && url !== null) {
    return (
      <div className="grid gap-2">
        <a
          href={url}
          className="inline-flex h-9 items-center justify-self-start rounded-control bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-strong max-md:h-11"
        >
          Open your organization
        </a>
        <span className="text-sm break-all text-secondary">{url}</span>
      </div>
    );
  }
  if (rejection_reason === null) return null;
  if (status === 'pending' && kyc_status !== 'rejected') return null;
  const intro = status === 'pending' ? 'Your documents were not accepted. Upload others. The reason: ' : '';
  return (
    <>
      <Notice tone={status === 'failed' ? 'warning' : 'error'}>
        {intro}
        <span className="break-words whitespace-pre-line">{rejection_reason}</span>
      </Notice>
      {status === 'rejected' && (
        <Link to="/apply" className="justify-self-start text-accent underline-offset-4 hover:underline">
          Apply again
        </Link>
      )}
    </>
  );
}

type StepState = 'done' | 'current' | 'waiting';

function Progress({ application }: { readonly application: ApplicationState }) {
  const { status, kyc_required, kyc_status, progress } = application;
  const isApproved = status !== 'pending';
  const needsDocuments = kyc_required && !isApproved && (kyc_status === 'pending' || kyc_status === 'rejected');
  const review: StepState = isApproved ? 'done' : needsDocuments ? 'waiting' : 'current';
  const setUp: StepState = status === 'completed' ? 'done' : isApproved ? 'current' : 'waiting';
  const first = kyc_required ? 3 : 2;
  return (
    <ol>
      <Step number={1} title="Application" state="done" summary="Received" />
      {kyc_required && (
        <Step
          number={2}
          title="Documents"
          state={needsDocuments ? 'current' : 'done'}
          summary={needsDocuments ? undefined : kyc_status === 'verified' ? 'Accepted' : 'Received'}
        >
          {needsDocuments && <Documents application={application} />}
        </Step>
      )}
      <Step
        number={first}
        title="Review"
        state={review}
        summary={review === 'done' ? 'Approved' : review === 'current' ? 'Under way' : undefined}
      />
      <Step number={first + 1} title="Setting up your organization" state={setUp}>
        {setUp !== 'waiting' && <ProvisioningSteps progress={progress} />}
      </Step>
    </ol>
  );
}

function Documents({ application }: { readonly application: ApplicationState }) {
  const { application_id, required_documents, uploaded_documents } = application;
  const [uploadToken] = useState(() => findUploadToken(application_id));
  if (uploadToken === undefined) {
    return <Notice tone="warning">To upload documents, open the link in our email to the applicant.</Notice>;
  }
  return (
    <ul className="grid gap-4">
      {required_documents.map((type) => (
        <DocumentUpload
          key={type}
          applicationId={application_id}
          uploadToken={uploadToken}
          type={type}
          isUploaded={uploaded_documents.includes(type)}
        />
      ))}
    </ul>
  );
}
