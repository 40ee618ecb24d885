const names: Readonly<Record<string, string>> = { stripe: 'Stripe', razorpay: 'Razorpay' };

export function providerName(provider: string): string {
  return names[provider] ?? provider;
}
