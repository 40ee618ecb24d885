import { Building2, type LucideIcon, Percent, ShoppingCart, Truck } from 'lucide-react';
import type { FunctionComponent } from 'react';
import { lazyPage } from '../../routing/lazy-page.tsx';

export interface SettingsPage {
  /** The end of its address: `/settings/taxes`. */
  readonly key: string;
  readonly title: string;
  readonly lead: string;
  readonly icon: LucideIcon;
  readonly Content: FunctionComponent & { readonly preload: () => Promise<void> };
}

const general = lazyPage(() => import('./general-page.tsx'), 'GeneralPage');
const checkout = lazyPage(() => import('./checkout-page.tsx'), 'CheckoutPage');
const taxes = lazyPage(() => import('./taxes-page.tsx'), 'TaxesPage');
const shipping = lazyPage(() => import('./shipping-page.tsx'), 'ShippingPage');

/** The index of the settings, and the page of each entry. */
export const settingsSections: readonly { readonly title: string; readonly pages: readonly SettingsPage[] }[] = [
  {
    title: 'Organization',
    pages: [
      {
        key: 'general',
        title: 'General',
        lead: 'Name, country, currency and time zone',
        icon: Building2,
        Content: general,
      },
    ],
  },
  {
    title: 'Selling',
    pages: [
      { key: 'checkout', title: 'Checkout', lead: 'Order numbers and stock', icon: ShoppingCart, Content: checkout },
      { key: 'taxes', title: 'Taxes', lead: 'Rates, and whether prices include them', icon: Percent, Content: taxes },
      {
        key: 'shipping',
        title: 'Shipping',
        lead: 'Where you deliver, and for how much',
        icon: Truck,
        Content: shipping,
      },
    ],
  },
];
