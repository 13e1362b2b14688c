import { derive } from '../../basics/derive.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import { lastWritersFirst } from '../../facts/objects/metadata.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { durationText } from '../../phrases/durations.ts';
import { listed } from '../../phrases/lists.ts';
import { fieldManagers } from '../../products/field-managers.ts';
import type { Writer } from '../../products/product.ts';
import { knownWriters } from '../../products/writers.ts';
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

/** The part of the age of a configuration in which its installation can still write it. */
const installationShare = 0.1;

/** Manual changes, including those of this program, do not repeat; `unknown` is a manager without a name. */
const noWriter = /^(kubectl-(edit|patch|webhook)|k9s|lens|unknown$)/i;

/** The key of the called configuration in FieldsV1, for webhooks and APIServices. */
const fieldsOf = (callout: Callout): string => (isAdmission(callout) ? 'f:webhooks' : 'f:spec');

/** The field managers that have written the configuration since `begin`, with times, the latest first. */
function lateWriters(callout: Callout, begin: number): ReadonlyMap<string, string> {
  const writers = new Map<string, string>();
  const entries = (callout.metadata.managedFields ?? []).filter(
    ({ subresource, fieldsV1 = {} }) =>
      (subresource ?? '') === '' && Object.hasOwn(fieldsV1, fieldsOf(callout)),
  );
  for (const { manager = '', time = '' } of lastWritersFirst(entries.toReversed()))
    if (Date.parse(time) >= begin && !writers.has(manager)) writers.set(manager, time);
  return writers;
}

/** How often the spec of a configuration has changed, and what changes it. */
interface Rewriting {
  readonly kind: 'changed' | 'alone' | 'bundle';
  readonly writers: ReadonlyMap<string, string>;
  readonly count: number;
  /** Milliseconds since its creation. */
  readonly age: number;
}

/** The changes of a configuration that continue; undefined if its writers may do normal work. */
function rewritingOf(callout: Callout, takenAt: string): Rewriting | undefined {
  const { generation, creationTimestamp } = callout.metadata;
  const now = Date.parse(takenAt);
  // Generation 1 is the creation.
  const count = (generation ?? 1) - 1;
  const age = now - Date.parse(creationTimestamp ?? takenAt);
  if (count * HOUR < age) return undefined;
  // Alternating writers have all written recently; times in managedFields are in whole seconds.
  const begin = now - Math.max(10_000, (changesPerWriter * age) / count);
  const writers = new Map([...lateWriters(callout, begin)].filter(([manager]) => !noWriter.test(manager)));
  const [only, another] = writers.keys();
  if (only === undefined) return undefined;
  if (another !== undefined) return { kind: 'changed', writers, count, age };
  if (fieldManagers(callout).get(only)?.join() === 'caBundle') {
    // A CA injector writes the caBundle rarely. The generation does not count its changes if others write rules.
    const others = lateWriters(callout, now - age * (1 - installationShare)).size > 1;
    return others || count * MINUTE <= age ? undefined : { kind: 'bundle', writers, count, age };
  }
  // A single operator writes when its policies change, but not every minute.
  const isNormal = count < Math.max(age / MINUTE, singleWriterChanges);
  return isNormal ? undefined : { kind: 'alone', writers, count, age };
}

const mayBeFoughtOver = ({ metadata }: Callout): boolean =>
  (metadata.generation ?? 0) - 1 >= minimumChanges && metadata.creationTimestamp !== undefined;

/**
 * The program that registers the webhooks of a configuration, and alone rewrites it: a field manager with the name of
 * the configuration (`kyverno`, `kyverno-resource-webhook-cfg`). A CA injector writes no rules; a tool that deploys
 * configurations of others has another name.
 */
function registrarOf(callout: Callout, takenAt: string): string | undefined {
  const [manager, ...others] = rewritingOf(callout, takenAt)?.writers.keys() ?? [];
  const writesAll =
    manager !== undefined &&
    others.length === 0 &&
    manager === callout.configuration.split('-')[0] &&
    fieldManagers(callout).get(manager)?.includes('rules') === true;
  return writesAll ? manager : undefined;
}

/** The namespaces of the Services in configurations that one program rewrites, by {@link registrarOf}. */
const namespacesByRegistrar = derive(
  ['callouts', 'takenAt'],
  ({ callouts, takenAt }: Pick<Facts, 'callouts' | 'takenAt'>): ReadonlyMap<string, ReadonlySet<string>> => {
    const found = new Map<string, Set<string>>();
    for (const callout of callouts.filter(mayBeFoughtOver)) {
      const registrar = registrarOf(callout, takenAt);
      const namespace = callout.client.service?.namespace;
      if (registrar === undefined || namespace === undefined) continue;
      found.set(registrar, (found.get(registrar) ?? new Set()).add(namespace));
    }
    return found;
  },
);

/** The known writer of rules and selectors among these: a platform, not an injector of the caBundle. */
const platformAmong = (callout: Callout, writers: ReadonlyMap<string, string>): Writer | undefined =>
  knownWriters(callout).find(
    ({ writer: { fields }, managers }) =>
      !fields.includes('caBundle') && [...managers.keys()].some((manager) => writers.has(manager)),
  )?.writer;

export const configurationFoughtOver = defineCheck({
  meta: {
    id: 'configuration-fought-over',
    title: 'Configuration is overwritten again and again',
    severity: 'warning',
    why: 'Each manager overwrites the fields of the other: the configuration alternates between two states, and calls fail or are skipped in between. `metadata.generation` counts every change of the spec, and managedFields show the last writer of each field.',
    advice:
      '[look] Watch the changes: `kubectl get {kind} {configuration} -o yaml --show-managed-fields -w`. [end] Leave each field to one manager: remove caBundle, selectors or rules that the other one fills in from the declared manifest. [end] Or let the tool ignore them (Argo CD: `ignoreDifferences` with the sync option `RespectIgnoreDifferences=true`; Flux: `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`).',
    noRemedy: { because: 'both managers must agree, and each is configured elsewhere' },
    messages: {
      changed:
        'Field managers {writers} alternately write this configuration: its webhooks have changed {count} times in {span}',
      platform: {
        text: 'Field managers {writers} overwrite each other ({count} changes in {span}); values of others last {instruction}',
        advice:
          '[look] See which fields alternate: `kubectl get {kind} {configuration} -o yaml --show-managed-fields -w`. [end] Upgrade the other program: newer versions of many keep what a platform adds. [end] Otherwise declare the same values in the manifest or the settings of that program. [end] Otherwise change the values where the message says.',
      },
      alone: {
        text: 'Field manager {writers} alone keeps rewriting this configuration: its webhooks have changed {count} times in {span}',
        advice:
          '[look] Find the field that changes: `kubectl get {kind} {configuration} -o yaml --show-managed-fields -w`. [look] Read the log of the program that writes the configuration. [end] If the program and the platform set different values, for example of `namespaceSelector`, set the value of the platform in the settings of the program. [end] If a GitOps tool writes the configuration, let the tool ignore the field (Argo CD: `ignoreDifferences` with the sync option `RespectIgnoreDifferences=true`). [end] Otherwise upgrade the program.',
      },
      bundle:
        'its webhooks have changed {count} times in {span}, and {writers} writes only caBundle: another program writes it too, or it never settles',
      installations: {
        text: 'Several installations of {program} overwrite the same webhook configurations, with Services in namespaces {namespaces}',
        severity: 'error',
        consequence: 'none',
        advice:
          '[end] Uninstall all but one: the program gives its configurations fixed names, so a cluster can have one installation. [look] List the Deployments of the installations: `kubectl get deployments -A`. [look] Then check which Service the configurations name: `kubectl webhook list`.',
      },
    },
    references: ['/docs/reference/using-api/server-side-apply/#conflicts'],
    follows: ['ca-bundle-fought-over'],
    oncePerObject: true,
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(mayBeFoughtOver),
  run(callout, facts, find) {
    const { ref: object, metadata } = callout;
    const rewriting = rewritingOf(callout, facts.takenAt);
    if (rewriting === undefined) return undefined;
    const { kind, writers, count, age } = rewriting;
    const [program = ''] = writers.keys();
    const span = durationText(age);
    const evidence = [
      { object, field: 'metadata.generation', value: `${metadata.generation}, ${span} after its creation` },
      ...[...writers].map(([manager, time]) => ({
        object,
        field: 'metadata.managedFields',
        value: `${manager} wrote at ${time}`,
      })),
    ];
    const registrar = registrarOf(callout, facts.takenAt) ?? '';
    const namespaces = [...(namespacesByRegistrar(facts).get(registrar) ?? [])].toSorted();
    if (namespaces.length > 1)
      return find('installations', { program, namespaces: listed(namespaces) }, evidence);
    const data = { writers: listed([...writers.keys()]), count, span };
    const platform = kind === 'changed' ? platformAmong(callout, writers) : undefined;
    return platform === undefined
      ? find(kind, data, evidence)
      : find('platform', { ...data, instruction: platform.lasts }, evidence);
  },
});
