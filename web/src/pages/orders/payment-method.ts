/* Any text can be a method; these are offered. */

export const paymentMethods: Readonly<Record<string, string>> = {
  cash: 'Cash',
  upi: 'UPI',
  card: 'Card',
  bank_transfer: 'Bank transfer',
  cheque: 'Cheque',
  other: 'Other',
};

const named: Readonly<Record<string, string>> = { ...paymentMethods, cash_on_delivery: 'Cash on delivery' };
const providers: Readonly<Record<string, string>> = { stripe: 'Stripe', razorpay: 'Razorpay' };

interface Payment {
  readonly method: string;
  readonly provider: string | null;
}

/** `Card by Stripe`, or `Stripe`. */
export function describeMethod({ method, provider }: Payment): string {
  const known = named[method] ?? sentence(method);
  if (provider === null) return known;
  const service = providers[provider] ?? provider;
  return method === provider || known === service ? service : `${known} by ${service}`;
}

export function providerName(provider: string): string {
  return providers[provider] ?? provider;
}

/** `net_banking` as `Net banking`. */
function sentence(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
