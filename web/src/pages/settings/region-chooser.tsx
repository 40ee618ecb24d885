import { X } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { addPlace, findPlaces, listPlaces, placeName, type Region, removePlace } from './regions.ts';
import { useStates } from './states.tsx';

interface RegionChooserProps {
  readonly regions: readonly Region[];
  readonly onChange: (regions: readonly Region[]) => void;
  readonly error: string | undefined;
}

/** Countries, and states of those that the platform knows. */
export function RegionChooser({ regions, onChange, error }: RegionChooserProps) {
  const [text, setText] = useState('');
  const { find: states } = useStates();
  const chosen = listPlaces(regions);
  const options = findPlaces(text, states).map((place) => ({
    key: `${place.country} ${place.state ?? ''}`,
    label: placeName(place, states),
    ...(place.state === undefined && states(place.country).length > 0 && { aside: 'Whole country' }),
    choose: () => onChange(addPlace(regions, place)),
  }));
  return (
    <div className="grid gap-2">
      <span aria-hidden className="text-sm font-medium">
        Countries and states
      </span>
      <SearchBox
        label="Countries and states"
        placeholder="Add a country or a state"
        name="regions"
        text={text}
        onText={setText}
        options={options}
        isSearching={false}
        empty="No country or state matches."
        error={error}
      />
      {chosen.length > 0 && (
        <ul aria-label="Chosen countries and states" className="flex flex-wrap gap-1.5">
          {chosen.map((place) => (
            <li key={`${place.country} ${place.state ?? ''}`} className="max-w-full">
              <button
                type="button"
                aria-label={`Remove ${placeName(place, states)}`}
                onClick={() => onChange(removePlace(regions, place))}
                className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-control bg-accent-tint px-2.5 text-sm text-accent-strong max-md:h-11"
              >
                <span className="truncate">{placeName(place, states)}</span>
                <Icon icon={X} size={14} className="shrink-0" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
