import { Columns3 } from 'lucide-react';
import { useStored } from '../session/stored.ts';
import { IconButton } from '../ui/button.tsx';
import { Checkbox } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import type { Column } from './data-table.tsx';

interface ColumnChoice<Row> {
  readonly columns: readonly Column<Row>[];
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[] | undefined) => void;
}

/** The columns that the user has chosen; `name` is that of the list. */
export function useColumns<Row>(name: string, columns: readonly Column<Row>[]) {
  const initial = columns.filter(({ isExtra }) => !isExtra).map(({ key }) => key);
  const [chosen, choose] = useStored<readonly string[]>(`columns.${name}`, initial);
  // The first is the link to the record.
  const visible = columns.filter(({ key }, index) => index === 0 || chosen.includes(key));
  return { visible, choice: { columns, chosen, choose } satisfies ColumnChoice<Row> };
}

export function ColumnMenu<Row>({ choice: { columns, chosen, choose } }: { readonly choice: ColumnChoice<Row> }) {
  const trigger = (
    <IconButton label="Choose columns" className="max-md:hidden">
      <Icon icon={Columns3} />
    </IconButton>
  );
  return (
    <Popover trigger={trigger} label="Columns" align="end">
      <div className="grid">
        {columns.slice(1).map(({ key, label }) => (
          <Checkbox
            key={key}
            label={label}
            checked={chosen.includes(key)}
            onChange={({ target }) => choose(target.checked ? [...chosen, key] : chosen.filter((one) => one !== key))}
          />
        ))}
      </div>
    </Popover>
  );
}
