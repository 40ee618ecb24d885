import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, Store } from 'lucide-react';
import type { ReactNode } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { DemoData } from '../install/demo-data.tsx';
import { InviteButton } from '../team/invite-button.tsx';

/** What to do before there are orders. */
export function FirstSteps() {
  const can = useCan();
  const one = { per_page: 1 };
  const canView = { products: can('products.view'), customers: can('customers.view'), team: can('team.view') };
  const products = useApi(keys.products.total, (client) => client.products.list(one), canView.products);
  const customers = useApi(keys.customers.total, (client) => client.customers.list(one), canView.customers);
  const team = useApi(keys.team.total, (client) => client.team.list(one), canView.team);
  const invitations = useApi(keys.team.invitations, (client) => client.invitations.list(one), canView.team);
  const colleagues = (team.data?.pagination.total ?? 1) - 1 + (invitations.data?.pagination.total ?? 0);
  const isEmpty = products.data?.pagination.total === 0 && customers.data?.pagination.total === 0;
  return (
    <div className="grid gap-2 border-y border-line py-4">
      <EmptyState icon={Store} title="Your shop is ready">
        As soon as there are orders, this page shows how business is and what needs you.
      </EmptyState>
      <ol className="mx-auto grid w-full max-w-xl gap-1 pb-4">
        {canView.products && (
          <Step
            title="Add your first product"
            isDone={(products.data?.pagination.total ?? 0) > 0}
            action={can('products.create') && <StepLink to="/products/new">Add a product</StepLink>}
          >
            Or import a list of products as CSV.
          </Step>
        )}
        {canView.customers && (
          <Step
            title="Add your first customer"
            isDone={(customers.data?.pagination.total ?? 0) > 0}
            action={can('customers.create') && <StepLink to="/customers/new">Add a customer</StepLink>}
          >
            The first order of a customer adds them as well.
          </Step>
        )}
        <Step
          title="Enter your first order"
          isDone={false}
          action={can('orders.create') && <StepLink to="/orders/new">New order</StepLink>}
        >
          Your shop can also send orders: the{' '}
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
        {can('settings.edit') && isEmpty && (
          <Step title="Look around with demo data" isDone={false}>
            <DemoData />
          </Step>
        )}
      </ol>
    </div>
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
