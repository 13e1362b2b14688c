import { type CalloutReport, type Effect, effects } from '../../diagnose/report.ts';
import { groupBy } from '../../facts/group-by.ts';
import type { Style } from './style.ts';

/** What callers of the API meet, in words. */
export function effectWords({ kind, configuration, verdict: { state, effect } }: CalloutReport): string {
  const which = state === 'degraded' ? 'some of the requests' : 'every request';
  if (effect === 'none') return 'nothing is stopped: no request reaches it as it is configured';
  if (kind === 'aggregated-api') return `stops ${which} for the API ${configuration}`;
  if (kind === 'conversion')
    return `stops ${which} for ${configuration} that ${state === 'degraded' ? 'need' : 'needs'} a conversion (there is no failurePolicy)`;
  if (effect === 'blocks') return `stops ${which} that it covers (failurePolicy Fail)`;
  const unseen = kind === 'mutating' ? 'unchanged' : 'unchecked';
  return `lets ${which} that it covers pass ${unseen}, without a word (failurePolicy Ignore)`;
}

/** One line per different effect among callouts that share a cause. Nothing for those of which nobody knows. */
export function effectLines(callouts: readonly CalloutReport[], { paint }: Style): string[] {
  const judged = callouts.filter(({ verdict }) => verdict.state !== 'unknown');
  const byWords = [...groupBy(judged, effectWords)].sort(
    ([, [a]], [, [b]]) => effects.indexOf(a.verdict.effect) - effects.indexOf(b.verdict.effect),
  );
  const painted: Record<Effect, (text: string) => string> = {
    blocks: paint.red,
    'fails-open': paint.yellow,
    none: paint.dim,
  };
  return byWords.map(([text, group]) => {
    const whom = byWords.length > 1 ? `${group.length} of ${judged.length} callouts: ` : '';
    return whom + painted[group[0].verdict.effect](text);
  });
}
