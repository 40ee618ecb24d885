import type { OrderDetails } from '@chowk/client';
import { useCan } from '../../api-query.ts';
import { Section } from '../../ui/page.tsx';

export function OrderAddress({ order: { shipping_address: address } }: { readonly order: OrderDetails }) {
  const isMasked = !useCan()('customers.view_sensitive');
  const join = (...parts: readonly (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  const lines = address
    ? [
        join(address.first_name, address.last_name),
        ...[address.company, address.address1, address.address2],
        join(address.city, address.pincode),
        ...[address.state, address.country, address.phone],
      ].filter(Boolean)
    : [];
  return (
    <Section title="Shipping address">
      {lines.length === 0 ? (
        <p className="text-secondary">No address.</p>
      ) : (
        <address className="grid not-italic">
          {lines.map((line) => (
            <span key={line} className="break-words">
              {line}
            </span>
          ))}
        </address>
      )}
      {address && isMasked && (
        <p className="text-xs text-faint">
          Street and phone are hidden without the permission customers.view_sensitive.
        </p>
      )}
    </Section>
  );
}
