import type { ComponentProps } from 'react';
import { timeZones } from '../time/time-zones.ts';
import { Select } from './field.tsx';

interface TimeZoneSelectProps extends Omit<ComponentProps<'select'>, 'defaultValue'> {
  readonly defaultValue: string;
}

/** `children` are options before the time zones. */
export function TimeZoneSelect({ defaultValue, children, ...rest }: TimeZoneSelectProps) {
  const isOther = defaultValue !== '' && !timeZones.includes(defaultValue);
  return (
    <Select defaultValue={defaultValue} {...rest}>
      {children}
      {isOther && <option>{defaultValue}</option>}
      {timeZones.map((zone) => (
        <option key={zone} value={zone}>
          {zone.replaceAll('_', ' ')}
        </option>
      ))}
    </Select>
  );
}
