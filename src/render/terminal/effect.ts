import { groupBy } from '../../basics/collections.ts';
import { type CalloutReport, type Effect, effects } from '../../diagnose/report.ts';
import { countedWebhooks } from '../../phrases/lists.ts';
import type { Style } from './style.ts';

/** The effect on API requests. */
export function effectText(callout: CalloutReport): string {
  const { kind, configuration, failurePolicy, verdict } = callout;
  const { state, effect } = verdict;
  const [every, request, fails, is, needs] =
    state === 'degraded'
      ? ['some', 'requests', 'fail', 'are', 'need']
      : ['every', 'request', 'fails', 'is', 'needs'];
  if (effect === 'none') return 'none: no request reaches it as it is configured';
  switch (kind) {
    case 'aggregated-api':
      return `${every} ${request} for the API ${configuration} ${fails}`;
    case 'conversion':
      return `${every} ${request} for ${configuration} that ${needs} a conversion ${fails} (there is no failurePolicy)`;
    case 'validating':
    case 'mutating': {
      const isByPolicy = (effect === 'blocks') === (failurePolicy === 'Fail');
      const why = isByPolicy ? `failurePolicy ${failurePolicy}` : 'whatever the failurePolicy';
      return effect === 'blocks'
        ? `${every} matching ${request} ${is} refused (${why})`
        : `silently skipped: ${every} matching ${request} ${is} admitted ${kind === 'mutating' ? 'unchanged' : 'unchecked'} (${why})`;
    }
  }
}

/** One line per different effect of webhooks with the same cause. Unknown effects are omitted. */
export function effectLines(callouts: readonly CalloutReport[], { paint }: Style): string[] {
  const known = callouts.filter(({ verdict }) => verdict.state !== 'unknown');
  const byText = [...groupBy(known, effectText)].sort(
    ([, [a]], [, [b]]) => effects.indexOf(a.verdict.effect) - effects.indexOf(b.verdict.effect),
  );
  const painted: Record<Effect, (text: string) => string> = {
    blocks: paint.red,
    'fails-open': paint.yellow,
    none: paint.dim,
  };
  return byText.map(([text, group]) => {
    const subject = byText.length > 1 ? `${group.length} of ${countedWebhooks(known)}: ` : '';
    return subject + painted[group[0].verdict.effect](text);
  });
}
