import type { Client } from '@chowk/client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../form.ts';
import { api } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';

type Format = 'csv' | 'json';

interface ExportButtonProps {
  /** What is exported, in the plural: `orders`. */
  readonly name: string;
  /** Requests the file, with the filters of the list. */
  readonly read: (client: Client, format: Format) => Promise<Response>;
}

/** Downloads the list as a file. */
export function ExportButton({ name, read }: ExportButtonProps) {
  const [isBusy, setBusy] = useState(false);
  async function start(format: Format): Promise<void> {
    setBusy(true);
    toast(`Exporting ${name}…`);
    try {
      const response = await read(api(), format);
      saveFile(await response.blob(), `${name}.${format}`);
      toast(`Exported ${name} as ${format.toUpperCase()}.`);
    } catch (error) {
      toast(messageOf(error));
    } finally {
      setBusy(false);
    }
  }
  const trigger = (
    <Button isBusy={isBusy}>
      <Download size={16} strokeWidth={1.5} aria-hidden />
      Export
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem onSelect={() => void start('csv')}>CSV, for spreadsheets</MenuItem>
      <MenuItem onSelect={() => void start('json')}>JSON, for programs</MenuItem>
    </Menu>
  );
}

function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
