import { type CausesOf, explainTexts } from '../explain/explain.ts';
import { nearestTo } from '../explain/recognise.ts';
import { findLines } from './find-lines.ts';
import { findObjects } from './find-objects.ts';
import { readObject, readSightings } from './read-record.ts';
import type { ScanReport } from './scan-report.ts';
import { tally } from './tally.ts';

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

/** A time near the beginning of a line, a record of a logger that writes JSON, `kubectl get events`, or a list. */
const record =
  /^\W{0,8}(?:[^\s:]{1,300} {1,8}){0,3}(?:\w{1,40}=)?["'[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d)|^[ \t]{0,8}\{.{0,4000}"(?:ts|time|timestamp|@timestamp|stageTimestamp|lastTimestamp|T)" ?:|^(?:NAMESPACE +)?LAST SEEN |"items" ?: ?\[/m;

/** What a whole input told. */
export interface Scanned
  extends Pick<ScanReport, 'window' | 'summary' | 'callouts' | 'notKept' | 'matches' | 'nearest'> {
  readonly bytes: number;
  readonly examined: number;
  readonly damaged: number;
  readonly kind: ScanReport['source']['kind'];
}

/** Reads bytes of any log, audit log or list of events; give it all pieces, then ask for the result. */
export function scanner(
  now: Date,
  causesOf: CausesOf,
): { readonly take: (piece: Buffer) => void; readonly end: () => Scanned } {
  const counts = tally(causesOf);
  let [bytes, examined, damaged] = [0, 0, 0];
  let head: Buffer[] = [];
  let headSize = 0;
  let finder: Finder | undefined;
  /** The beginning of an input that is no log. */
  let text: string | undefined;

  const read = (text: string): void => {
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
    const begins = first.toString('utf8');
    if (!record.test(begins)) text = begins;
    const lost = (): void => {
      damaged += 1;
    };
    const chosen = isDocument(first) ? findObjects(read, lost) : findLines(read);
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
      const result = counts.result();
      const found = {
        ...result,
        bytes,
        examined,
        damaged,
        kind: text === undefined ? 'log' : 'text',
      } as const;
      if (text === undefined || result.callouts.length > 0) return found;
      const { texts: matches } = explainTexts(text, causesOf);
      const nearest = matches.length === 0 ? nearestTo(text) : undefined;
      return { ...found, matches, ...(nearest === undefined ? {} : { nearest }) };
    },
  };
}
