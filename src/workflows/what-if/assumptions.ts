import { parse } from 'yaml';
import { loadCaBundle } from '../../apiserver/certificate/parse/load-ca-bundle.ts';
import { minorVersion, testedMinors } from '../../apiserver/server-version.ts';
import { limits } from '../../basics/limits.ts';
import {
  type Callout,
  calloutId,
  configurationsWithoutWebhooks,
  isAdmission,
  serviceKeys,
} from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { LabelSelector } from '../../facts/objects/label-selector.ts';
import { labelSelectorOf, SelectorError } from '../../facts/objects/label-selector-text.ts';
import { kindNamed } from '../../facts/resource.ts';
import type { Facts, Snapshot } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { refOfWorkload, workloadOfPod, workloadsMaking } from '../../facts/workloads/workloads.ts';
import { agreeing, counted, listed } from '../../phrases/lists.ts';
import { similarNameText } from '../../phrases/similar-name.ts';
import {
  type Assumption,
  type Deletion,
  noLoss,
  type PodLoss,
  type SettableField,
  type Setting,
  settableFields,
  type Upgrade,
} from '../../what-if/assumption.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { inputFrom } from '../input/input-file.ts';
import { namedCallouts } from '../selection/choose-callouts.ts';

/** The flags of `what-if` that change facts. */
export interface AssumptionFlags {
  readonly down: readonly string[];
  readonly set: readonly string[];
  readonly delete: readonly string[];
  readonly upgrade?: string | undefined;
  readonly namespace: string;
}

type NamingFacts = Pick<Facts, 'callouts' | 'configurations'>;

/** The webhooks of this name. Throws CalloutNameError, and CannotStart for an empty configuration. */
function named(typed: string, facts: NamingFacts, unread: readonly Unread[]): readonly Callout[] {
  const withoutWebhooks = configurationsWithoutWebhooks(facts);
  const { callouts } = namedCallouts(facts.callouts, typed, { withoutWebhooks, unread });
  if (callouts.length === 0) throw new CannotStart(`"${typed}" has no webhooks, or could not be read`);
  return callouts;
}

const idsOf = (callouts: readonly Callout[]): ReadonlySet<string> => new Set(callouts.map(calloutId));

/** Kinds that `--down` accepts, as kubectl names them. */
const kinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Node', 'Namespace'] as const;
type DownKind = (typeof kinds)[number];

/** Parses `deployment/policy`; undefined for the name of a webhook. */
function kindAndName(typed: string): { readonly kind: DownKind; readonly name: string } | undefined {
  const [prefix = '', name, ...more] = typed.split('/');
  const kind = kindNamed(prefix, kinds);
  return kind === undefined || name === undefined || name === '' || more.length > 0
    ? undefined
    : { kind, name };
}

/** The namespace of a workload that is down, if there is one: its backends must be examined. */
export const namespaceOfWorkload = ({ down, namespace }: AssumptionFlags): readonly string[] =>
  down.some((typed) => {
    const found = kindAndName(typed);
    return found !== undefined && found.kind !== 'Node' && found.kind !== 'Namespace';
  })
    ? [namespace]
    : [];

function callDown(typed: string, facts: NamingFacts, unread: readonly Unread[]): PodLoss {
  const callouts = named(typed, facts, unread);
  const services = serviceKeys(callouts);
  const backends = [
    ...[...services].map((key) => `Service ${key}`),
    ...callouts.flatMap(({ client: { url } }) => url ?? []),
  ];
  const [does, has] = backends.length === 1 ? ['does', 'has'] : ['do', 'have'];
  const text = `${listed(backends)} ${services.size === 0 ? `${does} not respond` : `${has} no Pods`}`;
  return { ...noLoss, text, services, callouts: idsOf(callouts) };
}

function nodeDown(name: string, { endpointSlices, nodes }: Facts): PodLoss {
  const slices = endpointSlices.all().flat();
  const known = new Set(
    slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ nodeName = [] }) => nodeName)),
  );
  if (!known.has(name) && nodes.getIfKnown(name) === undefined) {
    throw new CannotStart(
      `no endpoint of any Service is on a node "${name}"`,
      similarNameText('node', name, [...known]),
    );
  }
  return { ...noLoss, text: `Node ${name} is down`, nodes: new Set([name]) };
}

function namespaceDown(
  name: string,
  { namespaces, services }: Pick<Facts, 'namespaces' | 'services'>,
): PodLoss {
  if (namespaces.isAbsent(name)) {
    const known = [...namespaces.entries()].map(([one]) => one);
    throw new CannotStart(`namespace "${name}" does not exist`, similarNameText('namespace', name, known));
  }
  const keys = [...services.entries()].map(([key]) => key).filter((key) => key.startsWith(`${name}/`));
  return { ...noLoss, text: `namespace ${name} has no Pods`, services: new Set(keys) };
}

/** A workload's Pods, and the Services that select only these. Throws CannotStart if it does not exist. */
function workloadDown(kind: DownKind, name: string, namespace: string, facts: Facts): PodLoss {
  const unread = facts.workloads.why(namespace);
  if (unread !== undefined) {
    const backed = facts.callouts.some(({ client }) => client.service?.namespace === namespace);
    throw new CannotStart(
      backed
        ? `the workloads of namespace ${namespace} ${unread.why === 'not-requested' ? 'were not read' : `could not be read: ${unread.detail ?? unread.why}`}`
        : `no webhook or APIService has its backend in namespace "${namespace}"`,
      backed ? 'Name the webhook instead.' : 'Choose another namespace with -n.',
    );
  }
  const here = facts.workloads.get(namespace) ?? [];
  const workload = here.find((one) => one.kind === kind && one.metadata.name === name);
  if (workload === undefined) {
    const known = here.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    throw new CannotStart(
      `namespace ${namespace} has no ${kind} "${name}"`,
      similarNameText(kind, name, known),
    );
  }
  const leading = [...facts.services.entries()].filter(
    ([key, { spec }]) =>
      key.startsWith(`${namespace}/`) && workloadsMaking(spec.selector, [workload]).length > 0,
  );
  const alone = leading.filter(([, { spec }]) => workloadsMaking(spec.selector, here).length === 1);
  const own = leading
    .flatMap(([key]) => facts.pods.getIfKnown(key) ?? [])
    .filter((pod) => {
      const maker = workloadOfPod(pod);
      return maker.kind === kind && maker.name === name;
    });
  return {
    ...noLoss,
    text: `${kind} ${keyOf(refOfWorkload(workload))} has no Pods`,
    services: new Set(alone.map(([key]) => key)),
    pods: new Set(own.map(({ metadata }) => keyOf(metadata))),
  };
}

function down(typed: string, facts: Facts, namespace: string, unread: readonly Unread[]): PodLoss {
  const found = kindAndName(typed);
  if (found === undefined) return callDown(typed, facts, unread);
  switch (found.kind) {
    case 'Node':
      return nodeDown(found.name, facts);
    case 'Namespace':
      return namespaceDown(found.name, facts);
    default:
      return workloadDown(found.kind, found.name, namespace, facts);
  }
}

const operators: readonly unknown[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Parses a label selector in YAML or JSON. */
function writtenSelector(text: string): LabelSelector {
  const { matchLabels = {}, matchExpressions = [], ...others } = parse(text) as LabelSelector;
  const isSelector =
    Object.keys(others).length === 0 &&
    Object.values(matchLabels).every((value) => typeof value === 'string') &&
    matchExpressions.every(
      ({ key, operator, values = [] }) =>
        typeof key === 'string' &&
        operators.includes(operator) &&
        values.every((one) => typeof one === 'string'),
    );
  if (!isSelector) throw new SelectorError('must have matchLabels and matchExpressions only');
  return { matchLabels, matchExpressions };
}

function selectorOf(text: string, option: string): LabelSelector {
  try {
    return text.trimStart().startsWith('{') ? writtenSelector(text) : labelSelectorOf(text);
  } catch (error) {
    const why = error instanceof SelectorError ? error.message : 'must be a label selector';
    throw new CannotStart(`${option}: invalid selector "${text}": ${why}`);
  }
}

async function bundleOf(file: string, option: string): Promise<string> {
  if (file === '') return '';
  const bytes = await inputFrom(file, { bytes: limits.bundle });
  const bundle = loadCaBundle(bytes);
  if (bundle.kind === 'refused')
    throw new CannotStart(`${option}: the API server refuses ${file}: ${bundle.text}`);
  return bytes.toString('base64');
}

/** The value as the API server would store it. Throws CannotStart for one that it would reject. */
async function settableValue(field: SettableField, text: string, option: string): Promise<unknown> {
  switch (field) {
    case 'failurePolicy':
      if (text === 'Fail' || text === 'Ignore') return text;
      throw new CannotStart(`${option}: invalid failurePolicy "${text}": must be Fail or Ignore`);
    case 'timeoutSeconds':
      if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 30) return Number(text);
      throw new CannotStart(`${option}: invalid timeoutSeconds "${text}": must be between 1 and 30`);
    case 'namespaceSelector':
    case 'objectSelector':
      return selectorOf(text, option);
    case 'caBundle':
      return bundleOf(text, option);
  }
}

const settingPattern = new RegExp(`^(.+?)\\.(${settableFields.join('|')})=(.*)$`, 's');

async function setting(typed: string, facts: NamingFacts, unread: readonly Unread[]): Promise<Setting> {
  const option = `--set ${typed}`;
  const [, name, field, text = ''] = settingPattern.exec(typed) ?? [];
  if (name === undefined)
    throw new CannotStart(
      `invalid --set "${typed}": must be WEBHOOK.FIELD=VALUE`,
      `FIELD is one of ${listed(settableFields, { word: 'or' })}.`,
    );
  const callouts = named(name, facts, unread);
  const fieldless = callouts.find((callout) => field !== 'caBundle' && !isAdmission(callout));
  if (fieldless !== undefined) throw new CannotStart(`${option}: ${calloutId(fieldless)} has no ${field}`);
  const value = await settableValue(field as SettableField, text, option);
  const shown = field === 'caBundle' ? text || '""' : text;
  return {
    assume: 'set',
    text: `${field} of ${callouts.length === 1 ? callouts.map(calloutId).join() : `${counted(callouts.length, 'webhook')} of ${name}`} is ${shown}`,
    callouts: idsOf(callouts),
    field: field as SettableField,
    value,
  };
}

function deletion(typed: string, facts: NamingFacts, unread: readonly Unread[]): Deletion {
  const callouts = named(typed, facts, unread);
  return {
    assume: 'delete',
    text: `${listed(callouts.map(calloutId))} ${agreeing(callouts.length, 'is', 'are')} deleted`,
    callouts: idsOf(callouts),
  };
}

function upgrade(typed: string, { version }: Pick<Facts, 'version'>): Upgrade {
  const [, minor] = /^v?1\.(\d{1,3})(?:\.\d+)?$/.exec(typed) ?? [];
  if (minor === undefined)
    throw new CannotStart(`invalid version "${typed}": must be a version such as 1.${testedMinors.newest}`);
  if (Number(minor) > testedMinors.newest)
    throw new CannotStart(
      `version "${typed}" is not known: the newest known version is 1.${testedMinors.newest}`,
    );
  const now = minorVersion(version);
  if (now === undefined) throw new CannotStart('the version of this cluster could not be read');
  if (Number(minor) <= now)
    throw new CannotStart(
      `the cluster runs ${version}: --upgrade must name a later minor version than 1.${now}`,
    );
  return { assume: 'upgrade', text: `the API server runs 1.${minor}`, version: `v1.${minor}.0` };
}

/** `--down each`: each backend is assumed to be down in turn. */
export const isEach = (typed: string): boolean => typed === 'each';

/** Validates the flags with the first facts, before more is read. Throws CannotStart and CalloutNameError. */
export function refuseUnknown(
  flags: AssumptionFlags,
  first: NamingFacts & Pick<Facts, 'namespaces' | 'services' | 'version'>,
  unread: readonly Unread[],
): void {
  for (const typed of flags.down) {
    const found = kindAndName(typed);
    if (found?.kind === 'Namespace') namespaceDown(found.name, first);
    else if (found === undefined && !isEach(typed)) named(typed, first, unread);
  }
  for (const typed of flags.delete) named(typed, first, unread);
  if (flags.upgrade !== undefined) upgrade(flags.upgrade, first);
}

/** The assumptions in the order in which they are applied. Throws CannotStart and CalloutNameError. */
export async function assumptionsOf(
  flags: AssumptionFlags,
  { facts, notLookedAt }: Snapshot,
): Promise<readonly Assumption[]> {
  const settings = await Promise.all(flags.set.map((typed) => setting(typed, facts, notLookedAt)));
  return [
    ...settings,
    ...flags.delete.map((typed) => deletion(typed, facts, notLookedAt)),
    ...(flags.upgrade === undefined ? [] : [upgrade(flags.upgrade, facts)]),
    ...flags.down
      .filter((typed) => !isEach(typed))
      .map((typed) => down(typed, facts, flags.namespace, notLookedAt)),
  ];
}
