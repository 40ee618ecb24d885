import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, Store } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useStored } from '../../session/stored.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { DemoData } from '../install/demo-data.tsx';
import { InviteButton } from '../team/invite-button.tsx';

interface Progress {
  readonly isLoading: boolean;
  /** Whether something is left to do for those who set up the organization. */
  readonly isShown: boolean;
  readonly hide: () => void;
  /** How many there are, as far as it is known. */
  readonly products: number | undefined;
  readonly customers: number | undefined;
  readonly colleagues: number;
}

/** How far the organization is set up. Once all is done, or hidden, nothing is read for it any more. */
export function useFirstSteps(isNew: boolean): Progress {
  const can = useCan();
  const [isHidden, setHidden] = useStored('first-steps.hidden', false);
  const isRead = isNew || (can('settings.edit') && !isHidden);
  const one = { per_page: 1 };
  const mayView = (permission: string) => isRead && can(permission);
  const products = useApi(keys.products.total, (client) => client.products.list(one), mayView('products.view'));
  const customers = useApi(keys.customers.total, (client) => client.customers.list(one), mayView('customers.view'));
  const team = useApi(keys.team.total, (client) => client.team.list(one), mayView('team.view'));
  const invitations = useApi(keys.team.invitations, (client) => client.invitations.list(one), mayView('team.view'));
  const colleagues = (team.data?.pagination.total ?? 1) - 1 + (invitations.data?.pagination.total ?? 0);
  const all = [products, customers, team, invitations];
  const isKnown = all.every(({ data }) => data !== undefined);
  const hasAll = [products.data?.pagination.total, customers.data?.pagination.total, colleagues].every(Boolean);
  const isFinished = isRead && !isNew && isKnown && hasAll;
  useEffect(() => {
    if (isFinished) setHidden(true);
  }, [isFinished, setHidden]);
  return {
    isLoading: isRead && all.some(({ isLoading }) => isLoading),
    isShown: isNew || (isRead && isKnown && !hasAll),
    hide: () => setHidden(true),
    products: products.data?.pagination.total,
    customers: customers.data?.pagination.total,
    colleagues,
  };
}

interface FirstStepsProps {
  readonly progress: Progress;
  /** Before the first order there is nothing else to show. */
  readonly isNew: boolean;
}

/** What to do in a new organization, until it is done. */
export function FirstSteps({ progress: { products, customers, colleagues, hide }, isNew }: FirstStepsProps) {
  const can = useCan();
  const steps = (
    <ol className={`grid w-full gap-1 ${isNew ? 'mx-auto max-w-xl pb-4' : 'max-w-3xl border-t border-line'}`}>
      {can('products.view') && (
        <Step
          title="Add your first product"
          isDone={(products ?? 0) > 0}
          action={can('products.create') && <StepLink to="/products/new">Add a product</StepLink>}
        >
          Or import a list of products as CSV.
        </Step>
      )}
      {can('customers.view') && (
        <Step
          title="Add your first customer"
          isDone={(customers ?? 0) > 0}
          action={can('customers.create') && <StepLink to="/customers/new">Add a customer</StepLink>}
        >
          The first order of a customer adds them as well.
        </Step>
      )}
      <Step
        title="Enter your first order"
        isDone={!isNew}
        action={can('orders.create') && <StepLink to="/orders/new">New order</StepLink>}
      >
        Your website can also send orders: the{' '}
        <a href="/docs/" className="text-accent underline underline-offset-4">
          API reference
        </a>{' '}
        has an example for every action.
      </Step>
      {can('team.invite') && (
        <Step title="Invite a colleague" isDone={colleagues > 0} action={<InviteButton />}>
          They get an email with a link, and the role that you choose.
        </Step>
      )}
      {can('settings.edit') && products === 0 && customers === 0 && (
        <Step title="Look around with demo data" isDone={false}>
          <DemoData />
        </Step>
      )}
    </ol>
  );
  if (isNew) {
    return (
      <div className="grid gap-2 border-y border-line py-4">
        <EmptyState icon={Store} title="Your organization is ready">
          As soon as there are orders, this page shows how business is and what needs you.
        </EmptyState>
        {steps}
      </div>
    );
  }
  return (
    <Section
      title="First steps"
      actions={
        <Button variant="quiet" className="-mr-3.5 text-sm" onClick={hide}>
          Hide
        </Button>
      }
    >
      {steps}
    </Section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Step({ title, isDone, action, children }: StepProps) {
  const icon = isDone ? CircleCheck : CircleDashed;
  return (
    <li className="grid grid-cols-[1.25rem_1fr_auto] items-start gap-x-3 border-b border-line py-3 last:border-0 max-sm:grid-cols-[1.25rem_1fr]">
      <Icon
        icon={icon}
        size={20}
        className={isDone ? 'text-success' : 'text-faint'}
        label={isDone ? 'Done' : 'Not done yet'}
      />
      <div className="grid min-w-0">
        <h3 className={isDone ? 'text-secondary line-through' : 'font-medium'}>{title}</h3>
        {!isDone && <div className="text-secondary">{children}</div>}
      </div>
      {!isDone && action && <div className="max-sm:col-start-2 max-sm:mt-2">{action}</div>}
    </li>
  );
}

interface StepLinkProps {
  readonly to: '/products/new' | '/customers/new' | '/orders/new';
  readonly children: ReactNode;
}

/** As a secondary button. */
function StepLink({ to, children }: StepLinkProps) {
  return (
    <Link
      to={to}
      className="inline-flex h-9 items-center rounded-control border border-edge/60 bg-surface px-3.5 font-medium whitespace-nowrap hover:border-edge hover:bg-sunken max-md:h-11"
    >
      {children}
    </Link>
  );
}
