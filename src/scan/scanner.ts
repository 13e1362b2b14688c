import { findLines } from './find-lines.ts';
import { findObjects } from './find-objects.ts';
import { readObject, readSightings } from './read-record.ts';
import type { ScanReport } from './scan-report.ts';
import { type ChecksFor, tally } from './tally.ts';

type Finder = { readonly take: (piece: Buffer) => void; readonly end: () => void };

/** Bytes by which the sort of input is told. */
const headLength = 64 * 1024;

const blank = /^\s*$/;

/**
 * Whether JSON is laid out over several lines, or is a list in one: items are found by their braces then. Else each line
 * stands for itself.
 */
function isDocument(head: Buffer): boolean {
  const text = head.toString('utf8').trimStart();
  if (!text.startsWith('{')) return false;
  const [first = ''] = text.split('\n', 1);
  if (blank.test(first.slice(1))) return true;
  return /^\{\s*"(?:apiVersion|items|kind)"/.test(first) && /"items"\s*:\s*\[/.test(first.slice(0, 300));
}

/** What a whole input told. */
export interface Scanned extends Pick<ScanReport, 'window' | 'summary' | 'callouts' | 'notKept'> {
  readonly bytes: number;
  readonly examined: number;
  readonly damaged: number;
}

/** Reads bytes of any log, audit log or list of events; give it all pieces, then ask for the result. */
export function scanner(
  now: Date,
  checksFor: ChecksFor,
): { readonly take: (piece: Buffer) => void; readonly end: () => Scanned } {
  const counts = tally(checksFor);
  let [bytes, examined, damaged] = [0, 0, 0];
  let head: Buffer[] = [];
  let headSize = 0;
  let finder: Finder | undefined;

  const record = (text: string): void => {
    examined += 1;
    const begin = text.trimStart();
    if (begin.startsWith('{')) {
      let object: unknown;
      try {
        object = JSON.parse(begin);
      } catch {
        damaged += 1;
      }
      if (object !== undefined) {
        for (const sighting of readObject(object, now.getTime())) counts.add(sighting);
        return;
      }
    }
    for (const sighting of readSightings(text, now.getTime())) counts.add(sighting);
  };
  const start = (): Finder => {
    const first = Buffer.concat(head);
    head = [];
    const lost = (): void => {
      damaged += 1;
    };
    const chosen = isDocument(first) ? findObjects(record, lost) : findLines(record);
    chosen.take(first);
    return chosen;
  };

  return {
    take(piece) {
      bytes += piece.length;
      if (finder !== undefined) {
        finder.take(piece);
        return;
      }
      head.push(Buffer.from(piece));
      headSize += piece.length;
      if (headSize >= headLength) finder = start();
    },
    end() {
      finder ??= start();
      finder.end();
      return { ...counts.result(), bytes, examined, damaged };
    },
  };
}
