import type { InvoiceLogo } from '@chowk/client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { money } from '../../format/numbers.ts';
import { saveFile } from '../../screen/save-file.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import type { SettingValues } from './use-settings.ts';

interface InvoicePreviewProps {
  readonly typed: SettingValues;
  /** That of the organization. */
  readonly name: string;
  /** That of the next invoice. */
  readonly number: string;
  readonly logo: InvoiceLogo | null;
}

/** What these settings are on an invoice, updated while they are typed. */
export function InvoicePreview({ typed, name, number, logo }: InvoicePreviewProps) {
  const { data: me } = useMe();
  const text = (key: string) => String(typed[`invoices.${key}`] ?? '').trim();
  const amount = money('500', me?.currency ?? 'INR');
  return (
    <section
      aria-label="Preview"
      // As on paper, also in the dark theme.
      style={{ background: 'white', color: 'black' }}
      className="grid gap-4 rounded-panel border border-line p-5 text-xs"
    >
      <div className="flex items-start justify-between gap-4">
        <div className="grid min-w-0 gap-2">
          {logo && <img src={logo.url} alt="" className="max-h-10 max-w-32 justify-self-start" />}
          <div className="grid break-words whitespace-pre-line">
            <strong>{text('legal_name') || name}</strong>
            {text('address') && <span>{text('address')}</span>}
            {text('tax_number') && <span>{text('tax_number')}</span>}
          </div>
        </div>
        <div className="grid shrink-0 text-right">
          <strong className="text-base">{text('tax_number') ? 'Tax invoice' : 'Invoice'}</strong>
          <span className="numeric">{number}</span>
        </div>
      </div>
      <div className="grid gap-1.5 border-y border-current/20 py-2">
        <div className="flex justify-between gap-4">
          <span>1 × Sample product</span>
          <span className="numeric">{amount}</span>
        </div>
        <div className="flex justify-between gap-4 font-semibold">
          <span>Total</span>
          <span className="numeric">{amount}</span>
        </div>
      </div>
      {text('footer') && <p className="break-words whitespace-pre-line">{text('footer')}</p>}
    </section>
  );
}

/** The whole page as a file, with what is saved. */
export function SampleButton() {
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const response = await api().invoices.sample({ format: 'pdf' });
      saveFile(await response.blob(), 'sample-invoice.pdf');
    } catch (error) {
      toast(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button className="justify-self-start max-sm:w-full" isBusy={isBusy} onClick={() => void download()}>
      <Icon icon={Download} />
      Download a sample as PDF
    </Button>
  );
}
