import { useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { PaymentMethodsForm } from './payment-methods-form.tsx';
import { PaymentProvider } from './payment-provider.tsx';
import { SettingsForm } from './settings-form.tsx';

export function PaymentsPage() {
  return (
    <div className="grid gap-8">
      <Setting
        title="Payment links"
        lead="A page of Stripe or Razorpay on which a customer pays an order. The order shows the payment by itself."
      >
        <Providers />
      </Setting>
      <Setting title="Methods" lead="What your team can choose when they record a payment.">
        <PaymentMethodsForm />
      </Setting>
      <Setting title="After the payment" lead="Where a payment link leads.">
        <SettingsForm settings={['payments.return_url']} />
      </Setting>
    </div>
  );
}

function Providers() {
  const can = useCan();
  const canSee = can('settings.api_clients') || can('orders.edit');
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const { data, error } = useApi(keys.payments.providers, (client) => client.payments.getProviders(), canSee);
  if (!canSee) {
    return (
      <p className="text-secondary">
        To see the accounts you need the permission <code>settings.api_clients</code>.
      </p>
    );
  }
  if (!data) return <Loading error={error} className="h-40" />;
  const show = (provider: string | undefined) =>
    void navigate({ to: '.', search: provider === undefined ? {} : { edit: provider }, replace: true });
  return (
    <div className="grid gap-3">
      {data.providers.map((account) => (
        <PaymentProvider
          key={account.provider}
          account={account}
          isFirst={data.providers.every(({ is_chosen }) => !is_chosen)}
          isOpen={can('settings.api_clients') && edit === account.provider}
          onOpen={() => show(account.provider)}
          onClose={() => show(undefined)}
        />
      ))}
    </div>
  );
}
