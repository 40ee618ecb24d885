import type { ResellerApplication } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { keys } from '../../api/query-keys.ts';
import { refetch, tenantKey, useApi, useCan } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { useTenant } from '../../session/session.ts';
import { exactTime } from '../../time/times.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { ProvisioningSteps } from '../onboarding/provisioning-steps.tsx';
import { ApplicationDocuments } from './application-documents.tsx';
import { documentStatuses, listSearch, statuses } from './application-list.ts';
import { ApplicationReview } from './application-review.tsx';

export function ApplicationPanel() {
  const { id } = useParams({ from: '/shell/applications/$id' });
  const search = listSearch(useSearch({ from: '/shell/applications' }));
  const navigate = useNavigate();
  const can = useCan();
  const { data, error } = useApi(keys.applications.detail(id), (client) => client.onboarding.getApplication({ id }));
  const application = data?.application;
  useProgress(application);
  return (
    <DetailPanel
      key={id}
      title={application?.business_name}
      error={application ? null : error}
      onClose={() => navigate({ to: '/applications', search })}
    >
      {application && (
        <>
          <Summary application={application} />
          {can('reseller.applications.review') && <ApplicationReview application={application} />}
          {application.kyc_required && can('reseller.applications.review') && (
            <ApplicationDocuments application={application} />
          )}
          <Details application={application} />
          {['provisioning', 'failed', 'completed'].includes(application.status) && (
            <Section title="Set-up of the organization">
              <ProvisioningSteps progress={application.progress} />
            </Section>
          )}
        </>
      )}
    </DetailPanel>
  );
}

const everyMs = 2_000;

/** Follows the set-up of the organization until it ends. */
function useProgress(application: ResellerApplication | undefined): void {
  const cache = useQueryClient();
  const tenant = useTenant();
  const isRunning = application?.status === 'provisioning';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refetch(cache, tenantKey(tenant, keys.applications.all)), everyMs);
    return () => clearInterval(timer);
  }, [isRunning, cache, tenant]);
}

function Summary({ application }: { readonly application: ResellerApplication }) {
  const { status, kyc_status, kyc_required, rejection_reason } = application;
  return (
    <div className="-mt-4 grid gap-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
        {kyc_required && <span className="text-secondary">Documents: {documentStatuses[kyc_status].label}</span>}
      </p>
      {rejection_reason !== null && (
        <Notice tone={status === 'failed' ? 'error' : 'info'}>
          <span className="break-words whitespace-pre-line">{rejection_reason}</span>
        </Notice>
      )}
    </div>
  );
}

function Details({ application }: { readonly application: ResellerApplication }) {
  const { contact_name, email, phone, preferred_domain, referral_code, tenant_role, domains, created_at } = application;
  const rows = [
    ['Contact', contact_name],
    ['Email', email],
    ['Phone', phone],
    ['Wished address', preferred_domain],
    ['Referral code', referral_code],
    ['Becomes', tenant_role === 'reseller' ? 'A reseller' : 'A merchant'],
    ['Addresses', domains.join(', ')],
    ['Received', exactTime(created_at)],
  ] as const;
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-y-2">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt className="text-secondary">{label}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
