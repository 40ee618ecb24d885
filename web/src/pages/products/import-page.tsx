import { ChowkError, type ImportPreview, type ImportReport, productsLimits } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { FileSpreadsheet, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { errorMessage } from '../../format/error-message.ts';
import { count } from '../../format/numbers.ts';
import { saveFile } from '../../screen/save-file.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { firstRows } from './csv-rows.ts';
import { ImportChanges } from './import-changes.tsx';

const { maxBytes } = productsLimits.import.file;
const maxSize = `${maxBytes / 1024 / 1024} MB`;
const previewedRows = 10;

const template =
  'sku,title,description,price,compare_at_price,status,tags,categories,stock\r\n' +
  'TEA-250,"Green tea, 250 g",First flush from Darjeeling.,199.65,249.00,active,"organic, new",Tea|Gifts,40\r\n';

interface ChosenFile {
  readonly name: string;
  readonly text: string;
}

type State =
  | { readonly step: 'choose'; readonly problem?: string }
  | { readonly step: 'check' | 'send'; readonly file: ChosenFile; readonly preview?: ImportPreview }
  | { readonly step: 'ready'; readonly file: ChosenFile; readonly preview: ImportPreview; readonly problem?: string }
  | { readonly step: 'done'; readonly file: ChosenFile; readonly report: ImportReport };

export function ImportPage() {
  return (
    <Needs permission="products.import">
      <Import />
    </Needs>
  );
}

function Import() {
  const [state, setState] = useState<State>({ step: 'choose' });
  const refetch = useRefetch();
  async function check(chosen: File | undefined): Promise<void> {
    if (!chosen) return;
    if (chosen.size > maxBytes)
      return setState({ step: 'choose', problem: `${chosen.name} has more than ${maxSize}.` });
    const text = await chosen.text().catch(() => undefined);
    if (text === undefined) {
      return setState({ step: 'choose', problem: `${chosen.name} cannot be read. Choose it again.` });
    }
    const file = { name: chosen.name, text };
    if (file.text.includes('\ufffd')) {
      return setState({
        step: 'choose',
        problem: `${file.name} is not UTF-8. Save it as “CSV UTF-8” and choose it again.`,
      });
    }
    setState({ step: 'check', file });
    try {
      setState({ step: 'ready', file, preview: await api().products.previewImport({ csv: file.text }) });
    } catch (error) {
      setState({ step: 'choose', problem: `${file.name} cannot be read. ${describeProblem(error)}` });
    }
  }
  async function send(file: ChosenFile, preview: ImportPreview): Promise<void> {
    setState({ step: 'send', file, preview });
    try {
      setState({ step: 'done', file, report: await api().products.import({ csv: file.text }) });
      await refetch(keys.products.all);
    } catch (error) {
      setState({ step: 'ready', file, preview, problem: describeProblem(error) });
    }
  }
  const back = (
    <Link to="/products" className="inline-flex h-9 items-center text-accent underline-offset-4 hover:underline">
      Back to products
    </Link>
  );
  return (
    <Page title="Import products" actions={back}>
      {state.step === 'choose' && <Choose problem={state.problem} onChoose={(file) => void check(file)} />}
      {state.step === 'check' && <Checking name={state.file.name} />}
      {(state.step === 'ready' || state.step === 'send') && state.preview && (
        <Preview
          file={state.file}
          preview={state.preview}
          problem={state.step === 'ready' ? state.problem : undefined}
          isBusy={state.step === 'send'}
          onImport={(report) => void send(state.file, report)}
          onCancel={() => setState({ step: 'choose' })}
        />
      )}
      {state.step === 'done' && <Done {...state} onAgain={() => setState({ step: 'choose' })} />}
    </Page>
  );
}

function describeProblem(error: unknown): string {
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return problems.length > 0 ? problems.map(({ message }) => message).join(' ') : errorMessage(error);
}

interface ChooseProps {
  readonly problem: string | undefined;
  readonly onChoose: (file: File | undefined) => void;
}

function Choose({ problem, onChoose }: ChooseProps) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="grid max-w-3xl gap-6">
      {problem && <Notice tone="error">{problem}</Notice>}
      <fieldset
        aria-label="File"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          onChoose(event.dataTransfer.files[0]);
        }}
        className={`grid justify-items-center gap-4 rounded-panel border border-dashed px-6 py-12 text-center ${isOver ? 'border-accent bg-accent-tint' : 'border-edge/70'}`}
      >
        <span className="grid size-11 place-items-center rounded-full bg-accent-tint text-accent">
          <Icon icon={FileUp} size={20} />
        </span>
        <div>
          <p className="font-semibold">Drop a CSV file here</p>
          <p className="text-secondary">Nothing is changed until you have seen what it would do.</p>
        </div>
        <Button variant="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          aria-label="CSV file"
          className="hidden"
          onChange={({ target }) => {
            onChoose(target.files?.[0]);
            target.value = '';
          }}
        />
      </fieldset>
      <div className="grid gap-3">
        <h2 className="font-semibold">How the file must look</h2>
        <ul className="grid list-disc gap-1 pl-5 text-secondary">
          <li>The first line has the names of the columns. The file is UTF-8 and has at most {maxSize}.</li>
          <li>A row with a SKU that you have changes that product; any other SKU creates one, with title and price.</li>
          <li>
            Columns that are left out, and empty cells of required fields, change nothing. Other empty cells empty the
            field.
          </li>
          <li>The column stock sets what is in stock: leave it out if you have sold something since the export.</li>
          <li>Commas separate tags, vertical bars categories. An exported file can be imported.</li>
        </ul>
        <Button
          className="justify-self-start"
          onClick={() => saveFile(new Blob([template], { type: 'text/csv' }), 'products-template.csv')}
        >
          <Icon icon={FileSpreadsheet} />
          Download a template
        </Button>
      </div>
    </div>
  );
}

function Checking({ name }: { readonly name: string }) {
  return (
    <div role="status" className="grid gap-4">
      <p className="text-secondary">Checking {name}…</p>
      <Skeleton className="h-16 w-full" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}

interface PreviewProps {
  readonly file: ChosenFile;
  readonly preview: ImportPreview;
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  readonly onImport: (preview: ImportPreview) => void;
  readonly onCancel: () => void;
}

function Preview({ file, preview, problem, isBusy, onImport, onCancel }: PreviewProps) {
  const { created, updated, failed } = preview;
  const good = created + updated;
  return (
    <>
      <div className="grid gap-4">
        <p className="break-words text-secondary">
          <strong className="font-semibold text-text">{file.name}</strong> has not been imported yet.
        </p>
        <Figures
          report={preview}
          labels={['products to create', 'products to update', 'rows without changes', 'rows with errors']}
        />
        {problem && <Notice tone="error">{problem}</Notice>}
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" disabled={good === 0} isBusy={isBusy} onClick={() => onImport(preview)}>
            {good === 0 ? 'Nothing to import' : `Import ${count(good)} ${good === 1 ? 'product' : 'products'}`}
          </Button>
          <Button disabled={isBusy} onClick={onCancel}>
            Choose another file
          </Button>
        </div>
        {failed > 0 && good > 0 && (
          <p className="text-sm text-secondary">
            Rows with errors are left out. Correct them in the file, or import them later.
          </p>
        )}
      </div>
      {failed > 0 && <Errors report={preview} />}
      {preview.changes.length > 0 && <ImportChanges preview={preview} />}
      <FirstRows text={file.text} />
    </>
  );
}

interface DoneProps {
  readonly file: ChosenFile;
  readonly report: ImportReport;
  readonly onAgain: () => void;
}

function Done({ file, report, onAgain }: DoneProps) {
  return (
    <>
      <div className="grid gap-4">
        <Notice tone={report.failed > 0 ? 'warning' : 'success'}>
          {file.name} has been imported{report.failed > 0 && ', except for rows with errors'}.
        </Notice>
        <Figures
          report={report}
          labels={['products created', 'products updated', 'rows without changes', 'rows with errors']}
        />
        <div className="flex flex-wrap gap-2">
          <Button onClick={onAgain}>Import another file</Button>
        </div>
      </div>
      {report.failed > 0 && <Errors report={report} />}
    </>
  );
}

interface FiguresProps {
  readonly report: ImportReport;
  readonly labels: readonly [string, string, string, string];
}

function Figures({ report: { created, updated, unchanged, failed }, labels }: FiguresProps) {
  return (
    <dl className="grid max-w-2xl grid-cols-2 gap-y-3 divide-x sm:grid-cols-4 divide-line border-y border-line py-3">
      {[created, updated, unchanged, failed].map((value, index) => (
        <div key={labels[index]} className="flex flex-col-reverse px-4 first:pl-0">
          <dt className="text-sm text-secondary">{labels[index]}</dt>
          <dd
            className={`numeric text-2xl font-semibold tracking-tight ${index === 3 && value > 0 ? 'text-error' : ''}`}
          >
            {count(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Errors({ report: { errors, failed } }: { readonly report: ImportReport }) {
  const problems = errors.flatMap(({ line, errors: fields }) =>
    Object.entries(fields).flatMap(([field, messages]) => messages.map((message) => ({ line, field, message }))),
  );
  return (
    <Section
      title={`${count(failed)} ${failed === 1 ? 'row has' : 'rows have'} errors`}
      lead={failed > errors.length ? `The first ${count(errors.length)} are listed.` : undefined}
    >
      <Table caption="Errors by row">
        <thead>
          <tr>
            <HeaderCell isNumber className="md:w-16">
              Line
            </HeaderCell>
            <HeaderCell className="md:w-40">Column</HeaderCell>
            <HeaderCell>Problem</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ line, field, message }) => (
            <tr key={`${line} ${field} ${message}`}>
              <Cell isNumber>{line}</Cell>
              <Cell className="font-medium">{field === 'row' ? '' : field}</Cell>
              <Cell className="py-1.5 text-error">{message}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}

function FirstRows({ text }: { readonly text: string }) {
  const [header = [], ...rows] = firstRows(text, previewedRows + 1);
  return (
    <Section title="First rows of the file">
      <Table caption="First rows of the file">
        <thead>
          <tr>
            {header.map((name) => (
              <HeaderCell key={name}>{name}</HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('\n')}>
              {header.map((name, index) => (
                <Cell key={name} className="max-w-64 truncate whitespace-nowrap">
                  {row[index]}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
