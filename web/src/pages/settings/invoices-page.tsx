import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { nextInvoiceNumber } from './invoice-number.ts';
import { InvoicePreview, SampleButton } from './invoice-preview.tsx';
import { LogoSetting } from './logo-setting.tsx';
import { type Controls, SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

const business = ['invoices.legal_name', 'invoices.address', 'invoices.tax_number', 'invoices.footer'];
const numbers = ['invoices.number_prefix', 'invoices.next_number', 'invoices.credit_note_prefix'];

export function InvoicesPage() {
  const last = useLastNumber();
  const { values, error } = useSettings();
  const logo = useApi(keys.invoices.logo, (client) => client.invoices.getLogo());
  const organization = useApi(keys.settings.organization, (client) => client.organization.get());
  if (!values || !logo.data || !organization.data) {
    return <Loading error={error ?? logo.error ?? organization.error} className="h-96" />;
  }
  return (
    <div className="grid gap-8">
      <Setting title="Logo" lead="At the top of new invoices and packing slips.">
        <LogoSetting logo={logo.data.logo} />
      </Setting>
      <Setting title="Business" lead="Invoices that were issued stay as they are.">
        <SettingsForm settings={business} controls={controls}>
          {(typed) => (
            <InvoicePreview
              typed={typed}
              name={organization.data.organization.name}
              number={`${values['invoices.number_prefix']}${nextInvoiceNumber(last, values['invoices.next_number'])}`}
              logo={logo.data.logo}
            />
          )}
        </SettingsForm>
        <SampleButton />
      </Setting>
      <Setting title="Numbers" lead="Without gaps. For a new financial year, change the prefix; numbers continue.">
        <SettingsForm settings={numbers}>
          {(typed) => (
            <p className="rounded-panel bg-sunken p-4 text-sm">
              The next invoice is{' '}
              <strong className="numeric font-semibold">
                {String(typed['invoices.number_prefix'] ?? '')}
                {nextInvoiceNumber(last, typed['invoices.next_number'])}
              </strong>
              .
            </p>
          )}
        </SettingsForm>
      </Setting>
    </div>
  );
}

/** The number of the last invoice, for those who may see it. */
function useLastNumber(): string | undefined {
  const { data } = useApi(
    keys.invoices.last,
    (client) => client.invoices.list({ kind: 'invoice', sort_by: 'invoice_number', per_page: 1 }),
    useCan()('orders.view'),
  );
  return data?.invoices[0]?.invoice_number;
}

const controls: Controls = {
  'invoices.address': (control, value) => <TextArea {...control} rows={3} defaultValue={value} />,
  'invoices.footer': (control, value) => <TextArea {...control} rows={3} defaultValue={value} />,
};
