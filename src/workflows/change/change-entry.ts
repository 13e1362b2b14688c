import { defined } from '../../basics/collections.ts';
import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry, ChangeState, StepReport } from '../../change/change-report.ts';
import { diffOf } from '../../change/diff.ts';
import type { JournalState } from '../../change/journal.ts';
import { type Step, withoutServerFields } from '../../change/plan.ts';
import type { PreparedPlan } from '../../change/prepare.ts';
import type { RecordedChange } from '../../change/recorded-changes.ts';
import { noteOf } from '../../facts/change-record.ts';
import { refText } from '../../facts/object-ref.ts';

const stateOf: Readonly<Record<JournalState, ChangeState>> = {
  intended: 'unknown',
  unknown: 'unknown',
  applied: 'applied',
  verified: 'verified',
  refused: 'refused',
  undoing: 'unknown',
  undone: 'undone',
};

/** An object without the metadata that the API server maintains. */
const plain = ({ operation }: Step, value: unknown): unknown =>
  operation === 'delete' && value !== undefined ? withoutServerFields(value as never) : value;

const stepReport = (step: Step): StepReport => {
  const { object, operation, path } = step;
  const [before, after] = [plain(step, step.before), plain(step, step.after)];
  return {
    object,
    operation,
    ...defined({ path, before, after }),
  };
};

/**
 * Notes: objects that cannot hold the record and where it is stored instead, or that other machines have no
 * record.
 */
function whereElse({ requests, marking }: PreparedPlan): readonly string[] {
  if (marking.mark === undefined) return [];
  const withoutRecord = requests.filter(({ records, steps }) => !records && steps.length > 0);
  return withoutRecord.map(({ object, ahead }) => {
    const place =
      ahead === undefined
        ? 'only the journal on this machine has the previous values'
        : `it is stored in ${refText(ahead.object)}`;
    return `${refText(object)} cannot carry the record of this change: ${place}.`;
  });
}

/** A planned change, with its diff. */
export function plannedEntry(change: PreparedPlan): ChangeEntry {
  const { id, at, until, plan, steps } = change;
  const warnings = [...plan.warnings, ...whereElse(change)];
  const diff = diffOf(change).join('');
  return {
    id,
    remedy: plan.remedy,
    summary: plan.summary,
    steps: steps.map(stepReport),
    state: 'planned',
    at,
    ...(until === undefined ? {} : { until }),
    ...noteOf(change.note),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(diff === '' ? {} : { diff }),
  };
}

/** A recorded change, as `changes` lists it. */
export function recordedEntry(
  change: RecordedChange,
  { undoCommand }: Pick<ChangeTools, 'undoCommand'>,
): ChangeEntry {
  const { id, remedy, summary, at, until, why, steps, knownBy } = change;
  const state = stateOf[change.state];
  return {
    id,
    remedy,
    summary: summary ?? `${remedy}, from another machine`,
    steps: steps.map(stepReport),
    state,
    ...(why === undefined ? {} : { why }),
    at,
    ...(until === undefined ? {} : { until }),
    ...noteOf(change),
    knownBy,
    ...(state === 'undone' || state === 'refused' ? {} : { undo: undoCommand(id) }),
  };
}
