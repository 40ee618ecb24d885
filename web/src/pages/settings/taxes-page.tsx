import type { TaxRate } from '@chowk/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { SettingsForm } from './settings-form.tsx';
import { StateControl, useStates } from './states.tsx';
import type { EditedRate, ExampleRate } from './tax-example.ts';
import { TaxExampleTable } from './tax-example-table.tsx';
import { TaxPreset } from './tax-preset.tsx';
import { TaxRates } from './tax-rates.tsx';
import { useSettings } from './use-settings.ts';

const settings = ['pricing.prices_include_tax', 'pricing.tax_shipping', 'pricing.state'];

export function TaxesPage() {
  const { values, error } = useSettings();
  const rates = useApi(keys.pricing.taxRates, (client) => Array.fromAsync(client.pricing.listTaxRates.all()));
  const presets = useApi(keys.pricing.taxPresets, (client) => client.pricing.listTaxPresets());
  const { areKnown } = useStates();
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const [typedRate, setTypedRate] = useState<EditedRate>();
  const edited = typedRate?.id === edit ? typedRate : undefined;
  if (!values || !rates.data || !presets.data || !areKnown) {
    return <Loading error={error ?? rates.error ?? presets.error} className="h-96" />;
  }
  const country = String(values['general.country']);
  const state = String(values['pricing.state'] ?? '');
  const preset = (
    <TaxPreset preset={presets.data.presets.find((one) => one.country === country)} state={state} rates={rates.data} />
  );
  return (
    <div className="grid gap-8">
      {rates.data.length === 0 && preset}
      <Setting title="Prices" lead="How the prices of products and shipping are meant.">
        <SettingsForm
          settings={settings}
          controls={{
            'pricing.state': (control, value) => (
              <StateControl {...control} country={country} defaultValue={value} none="Not given" />
            ),
          }}
        >
          {(typed) => (
            <TaxExampleTable
              rates={withEdited(rates.data, edited)}
              country={country}
              state={String(typed['pricing.state'] ?? '')}
              isIncluded={typed['pricing.prices_include_tax'] === true}
            />
          )}
        </SettingsForm>
      </Setting>
      {rates.data.length > 0 && preset}
      <TaxRates rates={rates.data} country={country} onEdited={setTypedRate} />
    </div>
  );
}

/** The rates as they would be after the form that is open is saved. */
function withEdited(rates: readonly TaxRate[], edited: EditedRate | undefined): readonly ExampleRate[] {
  return edited ? [...rates.filter(({ id }) => id !== edited.id), edited] : rates;
}
