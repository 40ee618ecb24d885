import { pricingLimits, type ShippingZone } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { clearDraft } from '../../form/draft.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { RegionChooser } from './region-chooser.tsx';
import type { Region } from './regions.ts';

interface Values {
  readonly name: string;
  readonly rest_of_world?: string;
}

interface ZoneFormProps {
  /** `undefined` for a new one. */
  readonly zone: ShippingZone | undefined;
  readonly onClose: () => void;
}

export function ZoneForm({ zone, onClose }: ZoneFormProps) {
  const draft = `shipping-zone.${zone?.id ?? 'new'}`;
  // The fields of the draft are those of the form.
  const [regions, setRegions] = useStored<readonly Region[]>(`draft.${draft}.regions`, zone?.regions ?? []);
  const refetch = useRefetch();
  const forget = () => {
    clearDraft(draft);
    setRegions(undefined);
  };
  const form = useForm<Values, 'regions'>(
    async ({ name, rest_of_world }) => {
      const fields = { name: name.trim(), regions, rest_of_world: rest_of_world !== undefined };
      const { shipping_zone } = zone
        ? await api().pricing.updateShippingZone({ id: zone.id, ...fields })
        : await submit(draft, api().pricing.createShippingZone, fields);
      forget();
      toast(`${shipping_zone.name} saved.`);
      onClose();
      await refetch(keys.pricing.shipping);
    },
    { draft },
  );
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <form
      {...form.props}
      aria-label={zone ? `Edit ${zone.name}` : 'New zone'}
      className="grid gap-4 rounded-panel bg-sunken p-4"
    >
      {form.isRestored && (
        <RestoredNotice
          onDiscard={() => {
            form.discard();
            setRegions(undefined);
          }}
        />
      )}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Name of the zone" {...form.field('name')} help="Only you see it.">
        {(control) => (
          <Input
            {...control}
            defaultValue={zone?.name}
            maxLength={pricingLimits.createShippingZone.name}
            autoComplete="off"
            autoFocus
          />
        )}
      </Field>
      <RegionChooser regions={regions} onChange={setRegions} error={form.errors.regions} />
      <Checkbox
        label="Also the rest of the world: all addresses that no other zone covers"
        name="rest_of_world"
        defaultChecked={zone?.rest_of_world ?? false}
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          {zone ? 'Save zone' : 'Add zone'}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            form.discard();
            setRegions(undefined);
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}
