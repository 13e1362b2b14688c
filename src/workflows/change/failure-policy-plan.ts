import type { ChangeTools } from '../../change/apply.ts';
import type { Plan } from '../../change/plan.ts';
import { type AdmissionCallout, calloutId, type FailurePolicy } from '../../facts/callout.ts';
import { changeRecords } from '../../facts/change-record.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { webhookEdit } from '../../remedies/callout-field.ts';
import { whoTakesFieldBack } from '../../remedies/owners.ts';
import { coveredText } from './unattended.ts';

type Known = Pick<Facts, 'namespaces' | 'served'>;

const unique = (sentences: readonly string[]): readonly string[] => [...new Set(sentences)];

function whatPasses(callout: AdmissionCallout, facts: Known): string {
  const covered = coveredText(callout, facts);
  return callout.kind === 'mutating'
    ? `Unchanged while ${callout.webhook} does not answer: ${covered}. Objects made meanwhile lack what it adds to them (Pods: what it injects), and keep lacking it.`
    : `Unchecked while ${callout.webhook} does not answer: ${covered}. What passes meanwhile stays.`;
}

/** Lets requests pass while the named webhooks do not answer. */
export function failOpenPlan(callouts: readonly AdmissionCallout[], facts: Known): Plan {
  const closed = callouts.filter(({ failurePolicy }) => failurePolicy !== 'Ignore');
  const engines = closed.flatMap(({ webhook }) => {
    const enforced = enforcedBy(webhook);
    return enforced === undefined ? [] : [`${enforced.product} enforces ${enforced.what} through ${webhook}`];
  });
  return {
    ...changed('failopen', closed, callouts, 'Ignore'),
    warnings: [
      ...unique(closed.flatMap((callout) => whoTakesFieldBack(callout, 'failurePolicy'))),
      ...closed.map((callout) => whatPasses(callout, facts)),
    ],
    ...(engines.length === 0
      ? {}
      : {
          needsFlag: {
            flag: '--i-accept-unchecked-admission',
            because: `${engines.join('; ')}: while it fails open they are not enforced`,
          },
        }),
  };
}

/** Stops requests while the named webhooks do not answer. `failing`: those whose calls fail now, by id. */
export function failClosedPlan(
  callouts: readonly AdmissionCallout[],
  facts: Known,
  failing: ReadonlySet<string>,
  { undoCommand }: Pick<ChangeTools, 'undoCommand'>,
): Plan {
  const open = callouts.filter(({ failurePolicy }) => failurePolicy !== 'Fail');
  const broken = open.filter((callout) => failing.has(calloutId(callout)));
  const recorded = unique(
    open
      .flatMap(({ metadata }) => changeRecords(metadata).filter(({ remedy }) => remedy === 'failopen'))
      .map(({ id }) => id),
  );
  return {
    ...changed('failclosed', open, callouts, 'Fail'),
    warnings: [
      ...unique(open.flatMap((callout) => whoTakesFieldBack(callout, 'failurePolicy'))),
      ...recorded.map((id) => `It was opened by ${id}: \`${undoCommand(id)}\` takes exactly that back.`),
      ...open.map(
        (callout) => `Refused whenever ${callout.webhook} does not answer: ${coveredText(callout, facts)}.`,
      ),
    ],
    ...(broken.length === 0
      ? {}
      : {
          needsFlag: {
            flag: '--i-accept-refused-requests',
            because: `calls to ${broken.map(({ webhook }) => webhook).join(', ')} fail now: everything that it covers would be refused at once`,
          },
        }),
  };
}

function changed(
  remedy: string,
  changing: readonly AdmissionCallout[],
  named: readonly AdmissionCallout[],
  policy: FailurePolicy,
): Pick<Plan, 'remedy' | 'summary' | 'edits' | 'mends'> {
  const told = (changing.length > 0 ? changing : named).map(({ webhook }) => webhook);
  const which =
    told.length > 3 ? `${told.slice(0, 3).join(', ')} and ${told.length - 3} more` : told.join(', ');
  return {
    remedy,
    summary: `Set failurePolicy of ${which} to ${policy}`,
    edits: changing.map((callout) => webhookEdit(callout, 'failurePolicy', policy)),
    mends: [],
  };
}
