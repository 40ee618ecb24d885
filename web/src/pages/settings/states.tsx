import type { ComponentProps } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Input, Select } from '../../ui/field.tsx';

type StateOption = readonly [code: string, name: string];

interface States {
  readonly areKnown: boolean;
  /** The states of a country that the platform knows by name; of most countries, none. */
  readonly find: (country: string) => readonly StateOption[];
}

export function useStates(): States {
  const { data } = useApi(keys.pricing.states, (client) => client.pricing.listStates());
  return {
    areKnown: data !== undefined,
    find: (country) =>
      Object.entries(data?.states[country] ?? {}).sort(([, one], [, other]) => one.localeCompare(other)),
  };
}

/** The code of a state that may be given by its name. */
export function stateCode(states: readonly StateOption[], text: string): string {
  const typed = text.trim().toLowerCase();
  return states.find(([code, name]) => [code, name].some((one) => one.toLowerCase() === typed))?.[0] ?? text.trim();
}

interface StateControlProps
  extends Pick<ComponentProps<'select'>, 'id' | 'name' | 'aria-describedby' | 'aria-invalid'> {
  readonly country: string;
  readonly defaultValue: string;
  /** What no state means: `Whole country`. */
  readonly none: string;
}

/** A choice of states where they are known, else a text. */
export function StateControl({ country, defaultValue, none, ...control }: StateControlProps) {
  const states = useStates().find(country);
  if (states.length === 0) {
    return <Input key={country} {...control} defaultValue={defaultValue} placeholder={none} maxLength={100} />;
  }
  const value = stateCode(states, defaultValue);
  const isOther = value !== '' && !states.some(([code]) => code === value);
  return (
    <Select key={country} {...control} defaultValue={value}>
      <option value="">{none}</option>
      {isOther && <option>{value}</option>}
      {states.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  );
}
