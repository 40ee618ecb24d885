import { Download } from 'lucide-react';
import { saveFile } from '../../screen/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = codes.join('\n');
  return (
    <div className="grid gap-4">
      <Notice tone="warning">
        Keep these recovery codes in a safe place: they are not shown again. Each one signs you in once, without your
        phone.
      </Notice>
      <ol className="numeric grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-control bg-sunken px-4 py-3 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy" autoFocus />
        <Button onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'chowk-recovery-codes.txt')}>
          <Icon icon={Download} />
          Download
        </Button>
        <Button variant="primary" onClick={onDone}>
          I have stored them
        </Button>
      </div>
    </div>
  );
}
