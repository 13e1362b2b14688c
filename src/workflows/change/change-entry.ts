import type { ChangeTools, Ready } from '../../change/apply.ts';
import type { ChangeEntry, ChangeState, StepReport } from '../../change/change-report.ts';
import { diffOf } from '../../change/diff.ts';
import type { JournalState } from '../../change/journal.ts';
import { withoutBookkeeping } from '../../change/kube-object.ts';
import type { Step } from '../../change/plan.ts';
import type { RecordedChange } from '../../change/recorded-changes.ts';
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

/** A whole object without what the API server keeps for itself. */
const plain = ({ operation }: Step, value: unknown): unknown =>
  operation === 'delete' && value !== undefined ? withoutBookkeeping(value as never) : value;

const stepReport = (step: Step): StepReport => {
  const { object, operation, path } = step;
  const [before, after] = [plain(step, step.before), plain(step, step.after)];
  return {
    object,
    operation,
    ...(path === undefined ? {} : { path }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
};

/** What is deleted, a status and a scale carry no record: other machines do not learn of the change. */
function knownHereAlone({ requests, marking }: Ready): readonly string[] {
  if (marking.mark === undefined) return [];
  const silent = requests.filter(({ records }) => !records).map(({ object }) => refText(object));
  if (silent.length === 0) return [];
  return [
    `${[...new Set(silent)].join(', ')} cannot carry the record of this change: only the journal of this machine knows the way back.`,
  ];
}

/** What is about to happen, with its diff. */
export function plannedEntry(change: Ready): ChangeEntry {
  const { id, at, until, plan, steps } = change;
  const warnings = [...plan.warnings, ...knownHereAlone(change)];
  const diff = diffOf(change)
    .map(({ text }) => text)
    .join('');
  return {
    id,
    remedy: plan.remedy,
    summary: plan.summary,
    steps: steps.map(stepReport),
    state: 'planned',
    at,
    ...(until === undefined ? {} : { until }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(diff === '' ? {} : { diff }),
  };
}

/** A change that is remembered, as `changes` lists it. */
export function recordedEntry(
  change: RecordedChange,
  { undoCommand }: Pick<ChangeTools, 'undoCommand'>,
): ChangeEntry {
  const { id, remedy, summary, at, until, why, steps, knownBy } = change;
  const state = stateOf[change.state];
  return {
    id,
    remedy,
    summary: summary ?? `${remedy}, made from another machine`,
    steps: steps.map(stepReport),
    state,
    ...(why === undefined ? {} : { why }),
    at,
    ...(until === undefined ? {} : { until }),
    knownBy,
    ...(state === 'undone' || state === 'refused' ? {} : { undo: undoCommand(id) }),
  };
}
