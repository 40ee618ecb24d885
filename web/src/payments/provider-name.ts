import type { PaymentProviderAccount } from '@chowk/client';

const names = { stripe: 'Stripe', razorpay: 'Razorpay' };

export function providerName(provider: PaymentProviderAccount['provider']): string {
  return names[provider];
}
