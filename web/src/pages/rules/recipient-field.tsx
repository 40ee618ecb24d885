import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useMembers } from '../../people/members.ts';
import { Field, Select } from '../../ui/field.tsx';

interface RecipientFieldProps {
  /** `role:Manager` or `user:12`. */
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A role or a member of the team, as far as the user may see them. */
export function RecipientField({ value, error, onChange }: RecipientFieldProps) {
  const can = useCan();
  const roles = useApi(keys.team.roles, (client) => client.roles.list(), can('team.roles.view')).data?.roles ?? [];
  const team = useMembers();
  const options = {
    'All with the role': roles.map(({ name }) => [`role:${name}`, name] as const),
    'One person': (team.data ?? []).map(({ id, name }) => [`user:${id}`, name] as const),
  };
  const isKnown = Object.values(options).some((all) => all.some(([one]) => one === value));
  return (
    <Field label="To" name="recipient" error={error}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {!isKnown && <option value={value}>{value.replace(/^\w+:/, '')}</option>}
          {Object.entries(options).map(
            ([label, all]) =>
              all.length > 0 && (
                <optgroup key={label} label={label}>
                  {all.map(([one, name]) => (
                    <option key={one} value={one}>
                      {name}
                    </option>
                  ))}
                </optgroup>
              ),
          )}
        </Select>
      )}
    </Field>
  );
}
