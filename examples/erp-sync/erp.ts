import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Stands for the ERP: a folder with a file for each record. Saving and removing twice is the same as once. */
export class Erp {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  save(table: string, record: { readonly id: string }): Promise<void> {
    return this.#write(join(table, `${record.id}.json`), JSON.stringify(record, null, 2));
  }

  remove(table: string, id: string): Promise<void> {
    return rm(join(this.folder, table, `${id}.json`), { force: true });
  }

  async ids(table: string): Promise<string[]> {
    const names = await readdir(join(this.folder, table)).catch(() => []);
    return names.filter((name) => name.endsWith('.json')).map((name) => name.replace('.json', ''));
  }

  async readCursor(): Promise<string | undefined> {
    return readFile(join(this.folder, 'cursor'), 'utf8').catch(() => undefined);
  }

  writeCursor(cursor: string): Promise<void> {
    return this.#write('cursor', cursor);
  }

  /** All or nothing: a program that is killed leaves no half of a file. */
  async #write(name: string, text: string): Promise<void> {
    const file = join(this.folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
}
