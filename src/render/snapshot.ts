import type { Snapshot } from '../facts/snapshot.ts';
import { counted, countedWebhooks } from '../phrases/lists.ts';
import { harmless } from './text/harmless.ts';

/** Reports a written file (or `-`): size, and names that certificates contain, so they are not redacted. */
export function renderWritten(
  file: string,
  { facts, notLookedAt }: Snapshot,
  { bytes, kept }: { readonly bytes: number; readonly kept: readonly string[] },
): string {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const failed = notLookedAt.length === 0 ? '' : `; ${counted(notLookedAt.length, 'read')} failed`;
  return [
    ...(file === '-' ? [] : [`${file}: ${countedWebhooks(facts.callouts)}, ${size}${failed}`]),
    ...(kept.length === 0 ? [] : [`Not replaced, because certificates contain them: ${kept.join(', ')}`]),
  ]
    .map((line) => `${harmless(line)}\n`)
    .join('');
}
