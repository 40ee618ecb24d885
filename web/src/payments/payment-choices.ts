import type { PaymentProviderAccount } from '@chowk/client';
import { keys } from '../api/query-keys.ts';
import { useApi, useCan } from '../api/use-api.ts';

/** Those of the setting without another choice, for users who may not see it. */
const usualMethods: readonly string[] = ['cash', 'upi', 'card', 'bank_transfer'];

/** The methods of payments that are recorded by hand. */
export function usePaymentMethods(): readonly string[] {
  const { data } = useApi(keys.settings.values, (client) => client.settings.get(), useCan()('settings.view'));
  return (data?.settings['orders.payment_methods'] as readonly string[] | undefined) ?? usualMethods;
}

interface LinkProvider {
  /** Creates payment links. */
  readonly provider: PaymentProviderAccount | undefined;
  /** Whether that is known, and the tenant has payment links at all. */
  readonly isKnown: boolean;
}

/** For users who may create payment links. */
export function useLinkProvider(): LinkProvider {
  const can = useCan();
  const { data } = useApi(keys.payments.providers, (client) => client.payments.getProviders(), can('orders.edit'));
  const provider = data?.providers.find(({ is_chosen, is_configured }) => is_chosen && is_configured);
  return { provider, isKnown: data !== undefined };
}
