import { type Callout, isAdmission } from '../../facts/callout.ts';
import { lastWritersFirst } from '../../facts/objects/metadata.ts';
import { durationText } from '../../phrases/durations.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

/** The minimum number of changes to report: fewer happen during an installation. */
const minimumChanges = 30;

/** The number of changes, on average, after which each alternating writer has written. */
const changesPerWriter = 4;

/**
 * With this many changes, and at least one per minute, it is not an installation of one operator and its
 * policies.
 */
const singleWriterChanges = 360;

/** Manual changes, including those of this program, do not repeat; `unknown` is a manager without a name. */
const noWriter = /^(kubectl-(edit|patch|webhook)|k9s|lens|unknown$)/i;

/** The key of the called configuration in FieldsV1, for webhooks and APIServices. */
const fieldsOf = (callout: Callout): string => (isAdmission(callout) ? 'f:webhooks' : 'f:spec');

/** The field managers that have written the configuration since `begin`, with times, the latest first. */
function lateWriters(callout: Callout, begin: number): ReadonlyMap<string, string> {
  const writers = new Map<string, string>();
  const entries = (callout.metadata.managedFields ?? []).filter(
    ({ manager = '', subresource, fieldsV1 = {} }) =>
      !noWriter.test(manager) && (subresource ?? '') === '' && Object.hasOwn(fieldsV1, fieldsOf(callout)),
  );
  for (const { manager = '', time = '' } of lastWritersFirst(entries.toReversed()))
    if (Date.parse(time) >= begin && !writers.has(manager)) writers.set(manager, time);
  return writers;
}

export const configurationFoughtOver = defineCheck({
  meta: {
    id: 'configuration-fought-over',
    title: 'Two managers keep changing this configuration',
    severity: 'warning',
    explains: { 'apply-conflict': 3, 'write-conflict': 1 },
    why: 'Each manager overwrites what the other writes: the configuration alternates between two states, and calls fail or are skipped in between. `metadata.generation` counts every change of the spec, and managedFields show the last writers.',
    advice:
      'Watch it: `kubectl get {kind} {configuration} -o yaml --show-managed-fields -w`. Leave each field to one manager: remove what the other one fills in (caBundle, selectors, rules) from the declared manifest, or have the tool ignore it (Argo CD: `ignoreDifferences` with the sync option `RespectIgnoreDifferences=true`; Flux: `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`). If a single manager rewrites it, read its log, and upgrade it.',
    noRemedy: { because: 'both managers must agree, and each is configured elsewhere' },
    messages: {
      changed:
        '{writers} alternately write this configuration: its webhooks have changed {count} times in {span}',
      alone:
        '{writers} alone keeps rewriting this configuration: its webhooks have changed {count} times in {span}',
    },
    references: ['/docs/reference/using-api/server-side-apply/#conflicts'],
    follows: ['ca-bundle-fought-over'],
    oncePerObject: true,
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts.filter(
      ({ metadata }) => (metadata.generation ?? 0) - 1 >= minimumChanges && metadata.creationTimestamp,
    ),
  run(callout, { takenAt }, find) {
    const { ref: object, metadata } = callout;
    const now = Date.parse(takenAt);
    // Generation 1 is the creation.
    const count = (metadata.generation ?? 1) - 1;
    const age = now - Date.parse(metadata.creationTimestamp ?? takenAt);
    if (count * HOUR < age) return undefined;
    // Alternating writers have all written recently; times in managedFields are in whole seconds.
    const writers = lateWriters(callout, now - Math.max(10_000, (changesPerWriter * age) / count));
    // A single operator writes when its policies change, but not every minute.
    if (writers.size === 0 || (writers.size === 1 && count < Math.max(age / MINUTE, singleWriterChanges)))
      return undefined;
    return find(
      writers.size === 1 ? 'alone' : 'changed',
      { writers: listed([...writers.keys()]), count, span: durationText(age) },
      [
        { object, field: 'metadata.generation', value: String(metadata.generation) },
        ...[...writers].map(([manager, time]) => ({
          object,
          field: 'metadata.managedFields',
          value: `${manager} wrote at ${time}`,
        })),
      ],
    );
  },
});
