import { Link } from '@tanstack/react-router';
import { useCan } from '../api/use-api.ts';

/** How a payment provider is set up, where there is none. `purpose`: what it is needed for. */
export function ProviderHint({ purpose }: { readonly purpose: string }) {
  const canSetUp = useCan()('settings.api_clients');
  return (
    <p className="text-xs text-secondary">
      {canSetUp ? (
        <Link to="/settings/$page" params={{ page: 'payments' }} className="underline underline-offset-4">
          Set up Stripe or Razorpay {purpose}
        </Link>
      ) : (
        `An owner can set up Stripe or Razorpay ${purpose}, in the settings.`
      )}
    </p>
  );
}
