import type { Client } from '@chowk/client';
import { Download, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { errorMessage } from '../format/error-message.ts';
import { count } from '../format/numbers.ts';
import { saveFile } from '../screen/save-file.ts';
import { api, onUserChange } from '../session/session.ts';
import { observable } from '../state/observable.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';

export type ExportFormat = 'csv' | 'json';

interface Progress {
  readonly bytes: number;
  /** Only for a CSV file. */
  readonly rows: number | undefined;
  readonly cancel: () => void;
}

/** Outside of React: an export continues while the user visits other pages. */
const running = observable<ReadonlyMap<string, Progress>>(new Map());

function show(name: string, progress: Progress | undefined): void {
  const next = new Map(running.get());
  if (progress) next.set(name, progress);
  else next.delete(name);
  running.set(next);
}

interface ExportButtonProps {
  /** What is exported, in the plural: `customers`. */
  readonly name: string;
  /** The expected number of rows. */
  readonly total: number | undefined;
  /** Requests the file, with the filters of the list. */
  readonly read: (client: Client, format: ExportFormat, signal: AbortSignal) => Promise<Response>;
}

/** Downloads the list as a file, shows the progress and can be cancelled. */
export function ExportButton({ name, total, read }: ExportButtonProps) {
  const progress = useSyncExternalStore(running.subscribe, running.get).get(name);
  if (progress) return <ExportProgress progress={progress} total={total} />;
  const trigger = (
    <Button>
      <Icon icon={Download} />
      <span className="max-md:sr-only">Export</span>
    </Button>
  );
  const start = (format: ExportFormat) => void exportList(name, format, (signal) => read(api(), format, signal));
  return (
    <Menu trigger={trigger}>
      <MenuItem onSelect={() => start('csv')}>CSV, for spreadsheets</MenuItem>
      <MenuItem onSelect={() => start('json')}>JSON, for programs</MenuItem>
    </Menu>
  );
}

interface ExportProgressProps {
  readonly progress: Progress;
  readonly total: number | undefined;
}

function ExportProgress({ progress: { bytes, rows, cancel }, total }: ExportProgressProps) {
  return (
    <div className="flex h-9 items-center gap-2 rounded-control border border-edge/60 bg-surface pl-3 max-md:h-11">
      <meter
        className="bar w-16!"
        aria-label="Progress of the export"
        max={Math.max(total ?? 0, rows ?? 0, 1)}
        value={rows ?? 0}
      />
      <span className="numeric text-sm whitespace-nowrap text-secondary">
        {rows !== undefined && `${count(rows)} rows · `}
        {formatBytes(bytes)}
      </span>
      <IconButton label="Cancel the export" className="size-8.5! max-md:size-10.5!" onClick={cancel}>
        <Icon icon={X} />
      </IconButton>
    </div>
  );
}

async function exportList(name: string, format: ExportFormat, read: (signal: AbortSignal) => Promise<Response>) {
  const aborter = new AbortController();
  const cancel = () => aborter.abort();
  show(name, { bytes: 0, rows: undefined, cancel });
  const stop = onUserChange(cancel);
  try {
    const response = await read(aborter.signal);
    const counter = format === 'csv' ? countLines() : undefined;
    const { file, bytes } = await collect(response, (chunk, bytes) => {
      // Without the line of the names.
      const rows = counter && Math.max(counter(chunk) - 1, 0);
      show(name, { bytes, rows, cancel });
    });
    const rows = running.get().get(name)?.rows;
    saveFile(file, fileName(response) ?? `${name}.${format}`);
    toast(`Exported ${rows === undefined ? name : `${count(rows)} ${name}`} (${formatBytes(bytes)}).`);
  } catch (error) {
    toast(aborter.signal.aborted ? 'Export cancelled. No file was saved.' : errorMessage(error));
  } finally {
    stop();
    show(name, undefined);
  }
}

/** Reads the response piece by piece, which leaves the page free between them. */
async function collect(response: Response, onChunk: (chunk: Uint8Array, bytes: number) => void) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    onChunk(value, bytes);
  }
  return { file: new Blob(chunks, { type: response.headers.get('content-type') ?? '' }), bytes };
}

/** Counts the lines of a CSV file; a line feed between quotes is part of a cell. */
function countLines(): (chunk: Uint8Array) => number {
  const [lineFeed, quote] = [10, 34];
  let lines = 0;
  let isQuoted = false;
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === lineFeed && !isQuoted) lines += 1;
    }
    return lines;
  };
}

function fileName(response: Response): string | undefined {
  return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${count(Math.round(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
