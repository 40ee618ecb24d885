import { methodName } from '../../format/payment-method.ts';
import { providerName } from '../../payments/provider-name.ts';

interface Payment {
  readonly method: string;
  readonly provider: string | null;
}

/** `Card by Stripe`, or `Stripe`. */
export function describeMethod({ method, provider }: Payment): string {
  const known = sentence(methodName(method));
  if (provider === null) return known;
  const service = providerName(provider);
  return method === provider || known === service ? service : `${known} by ${service}`;
}

/** `net_banking` as `Net banking`. */
function sentence(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
