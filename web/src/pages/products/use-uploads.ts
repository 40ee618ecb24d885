import { ChowkError, productsLimits } from '@chowk/client';
import { useRef, useState } from 'react';
import { fetchWithProgress } from '../../api/fetch-with-progress.ts';
import { errorMessage } from '../../format/error-message.ts';

const { types, maxBytes } = productsLimits.addImage.file;
const maxImages = productsLimits.create.images;
export const imageTypes = types.join();

export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly share: number;
  readonly problem?: string;
}

let lastKey = 0;

/** Uploads files one after the other, so that the images have their order. `imageCount` is how many there are already. */
export function useUploads(imageCount: number, upload: (file: File, send: typeof fetch) => Promise<void>) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queue = useRef(Promise.resolve());
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  const dismiss = (key: number) => setUploads((all) => all.filter((one) => one.key !== key));
  async function send(key: number, file: File): Promise<void> {
    try {
      await upload(
        file,
        fetchWithProgress((share) => change(key, { share })),
      );
      dismiss(key);
    } catch (error) {
      change(key, { problem: describeProblem(error) });
    }
  }
  function add(files: readonly File[]): void {
    const room = maxImages - imageCount - uploads.filter(({ problem }) => !problem).length;
    const added = files.map((file, index) => {
      lastKey += 1;
      const problem = fileProblem(file) ?? (index >= room ? `A product has at most ${maxImages} images.` : undefined);
      return { file, upload: { key: lastKey, name: file.name, share: 0, ...(problem && { problem }) } };
    });
    setUploads((all) => [...all, ...added.map((one) => one.upload)]);
    for (const one of added) {
      if (!one.upload.problem) queue.current = queue.current.then(() => send(one.upload.key, one.file));
    }
  }
  return { uploads, add, dismiss };
}

function fileProblem({ type, size }: File): string | undefined {
  if (!types.some((one) => one === type)) return 'Not an image of the types JPEG, PNG or WebP.';
  if (size > maxBytes)
    return `${(size / 1024 / 1024).toFixed(1)} MB; an image has at most ${maxBytes / 1024 / 1024} MB.`;
  return undefined;
}

function describeProblem(error: unknown): string {
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return problems[0]?.message ?? errorMessage(error);
}
