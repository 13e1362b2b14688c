import { groupBy } from '../../basics/collections.ts';
import type { CalloutReport, SampleReport } from '../../diagnose/report.ts';
import { refText, sameObject } from '../../facts/object-ref.ts';
import { listed } from '../../phrases/lists.ts';
import { type Style, wrapHard } from './style.ts';

const sources = { given: '-f', stored: 'stored', 'made-up': 'test object' } as const;

/** `denied by a and b: WORDS`, one part for each response. */
function responses({ replicas }: CalloutReport, { object, operation }: SampleReport): string {
  const answers = replicas.flatMap(({ pod, endpoint = '', answers: all = [] }) =>
    all
      .filter((answer) => answer.operation === operation && sameObject(answer.object, object))
      .map(({ outcome, message = '' }) => ({ who: pod ?? endpoint, outcome, message })),
  );
  const alike = [...groupBy(answers, ({ outcome, message }) => `${outcome} ${message}`).values()];
  return alike
    .map((some) => {
      const [{ outcome, message }] = some;
      const who = some.length === answers.length ? 'every replica' : listed(some.map((one) => one.who));
      return `${outcome} by ${who}${message === '' ? '' : `: ${message}`}`;
    })
    .join('; ');
}

const dryRunText = ({ dryRun }: SampleReport): string => {
  if (dryRun === undefined) return '';
  return `; dry run of the API server: ${dryRun.message === '' ? 'admitted' : dryRun.message}`;
};

/** Maximum number of objects in one line. */
const mostObjects = 3;

/** Objects that a webhook was called with, and the responses of its Pods: the lines of those with the same responses. */
export function sampleRows(callout: CalloutReport, style: Style): string[][] {
  const alike = groupBy(callout.samples ?? [], (sample) =>
    sample.notCalled === undefined
      ? responses(callout, sample) + dryRunText(sample)
      : `not called: ${sample.notCalled}`,
  );
  return [...alike].map(([text, samples]) => {
    const objects = samples.map(
      ({ object, by, operation }) => `${operation} ${refText(object)} (${sources[by]})`,
    );
    return wrapHard(`${listed(objects, { most: mostObjects })}: ${text}`, style.width, '    ', '      ');
  });
}
