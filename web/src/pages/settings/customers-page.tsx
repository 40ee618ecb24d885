import { Link } from '@tanstack/react-router';
import { Setting } from '../../ui/setting.tsx';
import { SettingsForm } from './settings-form.tsx';

export function CustomersSettings() {
  return (
    <Setting
      title="VIPs"
      lead={
        <>
          One of the two is enough. The{' '}
          <Link
            to="/customers"
            search={{ segment: 'vip' }}
            className="text-accent underline underline-offset-4 hover:text-accent-strong"
          >
            segment
          </Link>{' '}
          follows at once.
        </>
      }
    >
      <SettingsForm settings={['customers.vip_order_threshold', 'customers.vip_spend_threshold']} />
    </Setting>
  );
}
