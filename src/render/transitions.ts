import type { DoctorReport } from '../diagnose/report.ts';
import { calloutId } from '../facts/callout.ts';
import { countedWebhooks } from '../phrases/lists.ts';
import { harmless } from './text/harmless.ts';

/** Each webhook's state with its cause, and whether this program made it fail open, by id; for comparison. */
export const statesOf = ({ callouts }: DoctorReport): ReadonlyMap<string, string> =>
  new Map(
    callouts.map((callout) => {
      const { state, because } = callout.verdict;
      const open = callout.opened === undefined ? '' : ', failed open';
      return [calloutId(callout), `${state}${because.length === 0 ? '' : ` (${because[0]})`}${open}`];
    }),
  );

/** A line per webhook whose state changed; for the first report, how many there are and are not healthy. */
export function changedStates(
  { takenAt, callouts }: DoctorReport,
  before: ReadonlyMap<string, string> | undefined,
  now: ReadonlyMap<string, string>,
): string {
  const at = takenAt.replace(/\.\d+/, '');
  const healthy = callouts.filter(({ verdict }) => verdict.state === 'healthy').length;
  const first = before === undefined ? [`${countedWebhooks(callouts)}, ${healthy} healthy`] : [];
  const lines = [...new Set([...(before?.keys() ?? []), ...now.keys()])].flatMap((id) => {
    const [was, is] = [before?.get(id), now.get(id) ?? 'deleted'];
    if (was === is || (before === undefined && is === 'healthy')) return [];
    return [was === undefined ? `${id}: ${is}` : `${id}: ${was} -> ${is}`];
  });
  return [...first, ...lines].map((line) => `${at} ${harmless(line)}\n`).join('');
}
