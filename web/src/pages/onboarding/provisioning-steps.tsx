import type { ProvisioningStep } from '@chowk/client';
import { Check, Circle, LoaderCircle, X } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';

const labels: Readonly<Record<ProvisioningStep['step'], string>> = {
  tenant_id: 'Reserve an id',
  database: 'Create the database',
  primary_domain: 'Set up the permanent address',
  alias: 'Set up the chosen address',
  owner: 'Create the account of the owner',
  modules: 'Install the modules',
  products: 'Add the products of the reseller',
  complete: 'Open the organization',
};

const marks = {
  pending: { icon: Circle, style: 'text-faint', text: 'waiting' },
  running: { icon: LoaderCircle, style: 'animate-spin text-accent', text: 'under way' },
  completed: { icon: Check, style: 'text-success', text: 'done' },
  failed: { icon: X, style: 'text-error', text: 'failed' },
};

/** How far the new organization is. */
export function ProvisioningSteps({ progress }: { readonly progress: readonly ProvisioningStep[] }) {
  return (
    <ol className="grid gap-1.5">
      {progress.map(({ step, status }) => {
        const { icon, style, text } = marks[status];
        return (
          <li key={step} className="flex items-center gap-2.5">
            <Icon icon={icon} strokeWidth={status === 'pending' ? 1.5 : 2} className={`shrink-0 ${style}`} />
            <span className={status === 'pending' ? 'text-faint' : ''}>{labels[step]}</span>
            <span className="sr-only">: {text}</span>
          </li>
        );
      })}
    </ol>
  );
}
