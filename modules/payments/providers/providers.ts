import type { ProviderName } from '../schemas.ts';
import type { PaymentProvider } from './provider.ts';
import { razorpay } from './razorpay.ts';
import { stripe } from './stripe.ts';

export const providers: Readonly<Record<ProviderName, PaymentProvider>> = { stripe, razorpay };
