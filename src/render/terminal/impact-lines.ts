import type { BlockedWork, CalloutReport, ImpactReport } from '../../diagnose/report.ts';
import { spanText } from '../../phrases/durations.ts';
import { counted, listed } from '../../phrases/lists.ts';
import { labels } from '../text/labels.ts';

/** Maximum number of names in a line. */
const shown = 4;

function where({ covered, total }: ImpactReport['namespaces']): string {
  if (covered === total) return total === 1 ? 'in the only namespace' : 'in all namespaces';
  return `in ${covered} of ${total} namespaces`;
}

function stops({ stops: works, namespaces }: ImpactReport): string {
  const all = works.filter(({ which }) => which === 'all').map(({ what }) => what);
  const some = works.filter(({ which }) => which === 'some').map(({ what }) => what);
  const parts = [
    listed(all, { most: shown }),
    some.length === 0 ? '' : `for some objects ${listed(some, { most: shown })}`,
  ];
  return `${parts.filter((part) => part !== '').join('; ')} ${where(namespaces)}`;
}

/** When the first was refused: at what moment, or how long before `takenAt`. Nothing if a clock is behind. */
function beganText(since: string | undefined, takenAt: string | undefined): string {
  if (since === undefined) return '';
  if (takenAt === undefined) return `, since ${since}`;
  return since > takenAt ? '' : `, first refused ${spanText(takenAt, since)}`;
}

function now(blocked: readonly BlockedWork[], takenAt: string | undefined): string {
  if (blocked.length === 0) return 'no workload lacks Pods because of it';
  const missing = blocked.reduce((sum, one) => sum + one.missing, 0);
  const since = blocked.flatMap((one) => one.since ?? []).sort()[0];
  const objects = listed(
    blocked.map(({ object }) => object),
    { most: shown },
  );
  return `${counted(missing, 'Pod')} of ${objects} cannot be created${beganText(since, takenAt)}`;
}

const back = {
  yes: 'its own Pods can be recreated',
  no: 'deadlock: while it is down, its own Pods cannot be recreated',
  unknown: 'unknown whether its own Pods can be recreated while it is down',
};

/**
 * What a failing webhook blocks, what it has blocked already, and whether it recovers: a line each.
 *
 * @param grave formats a text about something that is blocked.
 * @param takenAt the moment of the report (RFC 3339), if an age is to be printed instead of a moment.
 */
export function impactLines(
  { impact, verdict }: CalloutReport,
  grave: (text: string) => string = (text) => text,
  takenAt?: string,
): readonly (readonly [label: string, text: string])[] {
  if (impact === undefined || verdict.effect !== 'blocks') return [];
  const { blocked, comesBack, comesBackBecause } = impact;
  const because = comesBackBecause === undefined ? '' : `: ${comesBackBecause}`;
  const held = (blocked?.length ?? 0) > 0;
  const soFar = now(blocked ?? [], takenAt);
  return [
    ...(impact.stops.length === 0 ? [] : [[labels.blocks, stops(impact)] as const]),
    ...(blocked === undefined ? [] : [[labels.soFar, held ? grave(soFar) : soFar] as const]),
    ...(comesBack === undefined ? [] : [[labels.selfRecovery, `${back[comesBack]}${because}`] as const]),
  ];
}
