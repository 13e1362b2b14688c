import { gzipSync } from 'node:zlib';
import { type Zippable, zipSync } from 'fflate';
import { packTar } from 'modern-tar';

export interface ArchiveFile {
  readonly name: string;
  readonly content: Buffer;
  readonly executable?: boolean;
}

/** The earliest timestamp of the zip format. Archives contain no build time. */
const always = new Date(1980, 0, 1);

const mode = ({ executable }: ArchiveFile): number => (executable ? 0o755 : 0o644);

/** A reproducible .tar.gz: without timestamps and owners. */
export async function tarGz(files: readonly ArchiveFile[]): Promise<Buffer> {
  const tar = await packTar(
    files.map((file) => ({
      header: {
        name: file.name,
        size: file.content.length,
        mode: mode(file),
        mtime: new Date(0),
        uid: 0,
        gid: 0,
      },
      body: file.content,
    })),
  );
  return gzipSync(tar, { level: 9 });
}

/** A reproducible .zip, with the file modes of Unix. */
export function zip(files: readonly ArchiveFile[]): Buffer {
  const unix = 3;
  const entries: Zippable = {};
  for (const file of files)
    entries[file.name] = [file.content, { mtime: always, os: unix, attrs: mode(file) << 16 }];
  return Buffer.from(zipSync(entries, { level: 9 }));
}
