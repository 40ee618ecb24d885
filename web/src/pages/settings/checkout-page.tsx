import { Link } from '@tanstack/react-router';
import { Setting } from '../../ui/setting.tsx';
import { SettingsForm } from './settings-form.tsx';

const link = 'text-accent underline underline-offset-4 hover:text-accent-strong';

export function CheckoutPage() {
  return (
    <div className="grid gap-8">
      <Setting title="Orders" lead="How new orders are numbered and what they do with stock.">
        <SettingsForm settings={['orders.number_prefix', 'orders.track_stock']} />
      </Setting>
      <Setting title="Products" lead="When the console tells you that something is running out.">
        <SettingsForm settings={['products.low_stock_threshold']} />
      </Setting>
      <p className="text-sm text-secondary">
        What is added to the price of an order:{' '}
        <Link to="/settings/$page" params={{ page: 'taxes' }} className={link}>
          taxes
        </Link>{' '}
        and{' '}
        <Link to="/settings/$page" params={{ page: 'shipping' }} className={link}>
          shipping
        </Link>
        .
      </p>
    </div>
  );
}
