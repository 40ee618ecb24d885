import type { ResellerApplication } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface ApplicationProps {
  readonly application: ResellerApplication;
}

/** The decisions that are possible now, the likely one first. */
export function ApplicationReview({ application }: ApplicationProps) {
  const { id, status, kyc_status, kyc_required, business_name } = application;
  const [asked, setAsked] = useState<'documents' | 'application'>();
  // A new application also counts as a use of its code, for which there is no event.
  const affects = [keys.applications.all, keys.resellerTenants.all, keys.codes.all];
  const verify = useAction((client) => client.onboarding.verifyKyc({ id }), {
    affects,
    done: () => `Documents of ${business_name} accepted.`,
  });
  const approve = useAction((client) => client.onboarding.approve({ id }), {
    affects,
    done: () => `${business_name} approved. The organization is being set up.`,
  });
  const retry = useAction((client) => client.onboarding.retry({ id }), {
    affects,
    done: () => `Set-up of ${business_name} started again.`,
  });
  const isPending = status === 'pending';
  const isCheckable = isPending && kyc_status === 'submitted';
  const isApprovable = isPending && (kyc_status === 'verified' || kyc_status === 'not_required');
  if (!isPending && status !== 'failed') return null;
  return (
    <div className="flex flex-wrap gap-2">
      {isCheckable && (
        <Button variant="primary" isBusy={verify.isPending} onClick={() => verify.mutate(undefined)}>
          Accept documents
        </Button>
      )}
      {isApprovable && (
        <Button variant="primary" isBusy={approve.isPending} onClick={() => approve.mutate(undefined)}>
          Approve
        </Button>
      )}
      {status === 'failed' && (
        <Button variant="primary" isBusy={retry.isPending} onClick={() => retry.mutate(undefined)}>
          Try again
        </Button>
      )}
      {isPending && kyc_required && kyc_status !== 'pending' && kyc_status !== 'rejected' && (
        <Button onClick={() => setAsked('documents')}>Ask for other documents</Button>
      )}
      <Button onClick={() => setAsked('application')}>Reject</Button>
      <Dialog
        title={asked === 'documents' ? 'Ask for other documents' : 'Reject this application'}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
      >
        {asked && <ReasonForm application={application} asked={asked} onClose={() => setAsked(undefined)} />}
      </Dialog>
    </div>
  );
}

interface ReasonFormProps extends ApplicationProps {
  readonly asked: 'documents' | 'application';
  readonly onClose: () => void;
}

function ReasonForm({ application: { id, business_name }, asked, onClose }: ReasonFormProps) {
  const refetch = useRefetch();
  const isAboutDocuments = asked === 'documents';
  const form = useForm<{ readonly reason: string }>(async ({ reason }) => {
    const { onboarding } = api();
    await (isAboutDocuments ? onboarding.rejectKyc : onboarding.reject)({ id, reason });
    toast(isAboutDocuments ? `${business_name} was asked for other documents.` : `${business_name} rejected.`);
    onClose();
    await refetch(keys.applications.all);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <p className="text-secondary">
        {isAboutDocuments
          ? 'The documents are deleted, and the applicant can upload others.'
          : 'The documents are deleted. This cannot be undone; the business can apply again.'}
      </p>
      <Field label="Reason" help="The applicant gets it by email." {...form.field('reason')}>
        {(control) => <TextArea {...control} rows={3} autoFocus />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={isAboutDocuments ? 'primary' : 'danger'} isBusy={form.isBusy}>
          {isAboutDocuments ? 'Ask for other documents' : 'Reject application'}
        </Button>
      </div>
    </form>
  );
}
