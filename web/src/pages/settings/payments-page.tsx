import type { PaymentProviderAccount } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { PaymentMethodsForm } from './payment-methods-form.tsx';
import { PaymentProvider } from './payment-provider.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

export function PaymentsPage() {
  const can = useCan();
  const canSee = can('settings.api_clients') || can('orders.edit');
  const { data, error } = useApi(keys.payments.providers, (client) => client.payments.getProviders(), canSee);
  const settings = useSettings();
  if (!settings.values || (canSee && !data && !error)) return <Loading error={settings.error} className="h-96" />;
  return (
    <div className="grid gap-8">
      <Setting
        title="Payment links"
        lead="A page of Stripe or Razorpay on which a customer pays an order. The order shows the payment by itself."
      >
        {data ? (
          <Providers accounts={data.providers} />
        ) : canSee ? (
          <Loading error={error} className="h-40" />
        ) : (
          <p className="text-secondary">
            To see the accounts you need the permission <code>settings.api_clients</code>.
          </p>
        )}
      </Setting>
      <Setting title="Methods" lead="What your team can choose when they record a payment.">
        <PaymentMethodsForm />
      </Setting>
      <Setting title="After the payment" lead="A page of your website, if it has one.">
        <SettingsForm settings={['payments.return_url']} />
      </Setting>
    </div>
  );
}

function Providers({ accounts }: { readonly accounts: readonly PaymentProviderAccount[] }) {
  const canEdit = useCan()('settings.api_clients');
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const show = (provider: string | undefined) =>
    void navigate({ to: '.', search: provider === undefined ? {} : { edit: provider }, replace: true });
  return (
    <div className="grid gap-3">
      {accounts.map((account) => (
        <PaymentProvider
          key={account.provider}
          account={account}
          isFirst={accounts.every(({ is_chosen }) => !is_chosen)}
          isOpen={canEdit && edit === account.provider}
          onOpen={() => show(account.provider)}
          onClose={() => show(undefined)}
        />
      ))}
    </div>
  );
}
