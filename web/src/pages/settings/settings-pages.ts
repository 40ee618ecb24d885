import type { FunctionComponent } from 'react';
import { lazyPage } from '../../routing/lazy-page.tsx';

type Content = FunctionComponent & { readonly preload: () => Promise<void> };

/** The page of each entry of the index (`shell/settings-index.ts`), by the end of its address. */
export const settingsPages: Readonly<Record<string, Content>> = {
  general: lazyPage(() => import('./general-page.tsx'), 'GeneralPage'),
  checkout: lazyPage(() => import('./checkout-page.tsx'), 'CheckoutPage'),
  taxes: lazyPage(() => import('./taxes-page.tsx'), 'TaxesPage'),
  payments: lazyPage(() => import('./payments-page.tsx'), 'PaymentsPage'),
  invoices: lazyPage(() => import('./invoices-page.tsx'), 'InvoicesPage'),
  mails: lazyPage(() => import('./mails-page.tsx'), 'MailsPage'),
  widget: lazyPage(() => import('./widget-page.tsx'), 'WidgetPage'),
  channels: lazyPage(() => import('./channels-page.tsx'), 'ChannelsPage'),
  modules: lazyPage(() => import('./modules-page.tsx'), 'ModulesPage'),
  inbox: lazyPage(() => import('./inbox-page.tsx'), 'InboxPage'),
  customers: lazyPage(() => import('./customers-page.tsx'), 'CustomersSettings'),
  security: lazyPage(() => import('./security-page.tsx'), 'SecurityPage'),
  domains: lazyPage(() => import('./domains-page.tsx'), 'DomainsPage'),
  other: lazyPage(() => import('./other-page.tsx'), 'OtherSettingsPage'),
  shipping: lazyPage(() => import('./shipping-page.tsx'), 'ShippingPage'),
};
