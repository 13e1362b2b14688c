import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import {
  type AdmissionCallout,
  type Callout,
  isAdmission,
  isServiceBacked,
  type ServiceBacked,
  servedByService,
} from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { ageIfRecent, isNoOlder } from '../../facts/objects/metadata.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import { calledNamesakes, otherNamespaces } from '../../facts/objects/suggested-service.ts';
import { isProductGroup } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { conditionOf } from '../../facts/workloads/pod-state.ts';
import { brief } from '../../phrases/brief.ts';
import { conversionOff } from '../../phrases/conversion-off.ts';
import { belongsTo, type Installation, installationOf } from '../../products/installation.ts';
import { laterVersion } from '../../products/later-version.ts';
import { namesakeOf } from '../../products/namesakes.ts';
import { helmRelease, isRestored } from '../../products/of-metadata.ts';
import { type CheckStep, defineCheck, firstReported, type Messages } from '../check.ts';

/** The webhook of the same name and scope in another configuration that is not older: it is of a later installation. */
const successor = (callout: Callout, facts: Pick<Facts, 'callouts' | 'services'>) =>
  namesakeOf(callout, facts, (other) => isNoOlder(other.metadata, callout.metadata));

/** Whether a webhook has a name of the product of this API group: of the same domain, or of kubebuilder's scaffolding. */
const isOfGroup = (group: string, { webhook }: AdmissionCallout): boolean =>
  isProductGroup(group) &&
  (webhook.endsWith('.kb.io') || webhook.endsWith(`.${group.split('.').slice(-2).join('.')}`));

const everyOperation = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** The requests for custom resources of its own product that a webhook is called for, with its kind and selectors. */
function ownRequests(callout: AdmissionCallout): readonly string[] {
  const { kind, rules, namespaceSelector, objectSelector, matchConditions } = callout;
  const selected = JSON.stringify([kind, namespaceSelector, objectSelector, matchConditions]);
  return rules.flatMap(({ operations, apiGroups = [], resources = [] }) =>
    apiGroups
      .filter((group) => isOfGroup(group, callout))
      .flatMap((group) => resources.map((resource) => `${group}/${resource} ${selected}`))
      .flatMap((what) =>
        (operations.includes('*') ? everyOperation : operations).map((operation) => `${operation} ${what}`),
      ),
  );
}

/** Webhooks with a Service that exists, by each of their own requests. */
const servedRequests = derive(
  ['callouts', 'services'],
  ({ callouts, services }: Pick<Facts, 'callouts' | 'services'>) =>
    groupBy(
      callouts
        .filter(isAdmission)
        .filter(isServiceBacked)
        .filter(({ client: { service } }) => services.getIfKnown(keyOf(service)) !== undefined)
        .flatMap((callout) => [...new Set(ownRequests(callout))].map((request) => ({ callout, request }))),
      ({ request }) => request,
    ),
);

/**
 * A webhook of the same product and kind that is called for all requests of this one, if it is not older, and the namespace of
 * this one does not exist: a release with other names was installed, and the namespace of the former one deleted.
 */
function renamed(
  callout: ServiceBacked,
  facts: Pick<Facts, 'callouts' | 'services' | 'namespaces'>,
): AdmissionCallout | undefined {
  const isGone = facts.namespaces.get(callout.client.service.namespace) === undefined;
  if (!isAdmission(callout) || !isGone) return undefined;
  const isOwn = callout.rules.every(({ apiGroups = [] }) =>
    apiGroups.every((group) => isOfGroup(group, callout)),
  );
  const [first = '', ...others] = isOwn ? ownRequests(callout) : [];
  return servedRequests(facts)
    .get(first)
    ?.map((one) => one.callout)
    .find((other) => {
      const theirs = ownRequests(other);
      return isNoOlder(other.metadata, callout.metadata) && others.every((one) => theirs.includes(one));
    });
}

/**
 * True if the rest of the installation may still follow. Helm stores a release in its namespace before it creates
 * objects, and creates webhook configurations and APIServices last, but CRDs first (helm
 * pkg/release/util/kind_sorter.go InstallOrder).
 */
function mayBeIncomplete(
  { kind, metadata }: Callout,
  { namespace }: Installation,
  { namespaces, takenAt }: Pick<Facts, 'namespaces' | 'takenAt'>,
): boolean {
  if (ageIfRecent(metadata, takenAt) === undefined) return false;
  return namespace === undefined || (kind === 'conversion' && namespaces.get(namespace) !== undefined);
}

/**
 * True if other configurations call the same Service in another namespace, as they do if a product is installed twice.
 * Installations share CRDs and APIServices, and the webhooks of one configuration call one backend.
 */
function isOfSecond(
  { kind, configuration, client: { service: own } }: Callout,
  callouts: readonly Callout[],
): boolean {
  const elsewhere = callouts.filter(
    ({ client: { service } }) => service?.name === own?.name && service?.namespace !== own?.namespace,
  );
  const isShared = kind === 'conversion' || kind === 'aggregated-api';
  const isMixed = elsewhere.some((one) => one.kind === kind && one.configuration === configuration);
  return elsewhere.length > 0 && !isShared && !isMixed;
}

/** Conditions of a namespace that is being deleted, the most telling first (pkg/controller/namespace/deletion/status_condition_utils.go). */
const deletionConditions = [
  'NamespaceFinalizersRemaining',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
];

/** The condition that says why the deletion of a namespace has not ended; undefined if none does. */
const remainingIn = (namespace: Namespace | undefined) =>
  deletionConditions
    .flatMap((type) => {
      const { status, message = '' } = conditionOf(namespace?.status?.conditions, type) ?? {};
      return status === 'True' && message !== '' ? [{ type, message }] : [];
    })
    .at(0);

/** True if the namespace controller cannot list the API of this APIService. */
const isOfDiscovery = (
  callout: Callout,
  { type, message }: { readonly type: string; readonly message: string },
) =>
  callout.kind === 'aggregated-api' &&
  type === 'NamespaceDeletionDiscoveryFailure' &&
  message.includes(`${callout.group}/${callout.version}`);

/** The API server's error for a conversion names the object, or a list of them (apiextensions webhook_converter.go). */
const failedConversion = /conversion webhook for ([^\s/,]+)\/[^\s/,]+, Kind=([\w-]+)/g;

/** True if objects of this CRD cannot be listed for the deletion: their conversion fails. */
const isConversionOf = (callout: Callout, message: string): boolean =>
  callout.kind === 'conversion' &&
  [...message.matchAll(failedConversion)].some(
    ([, group, kind]) =>
      group === callout.resource.group &&
      (kind === callout.resource.kind || kind === `${callout.resource.kind}List`),
  );

const advice = `[end] If the product is not needed, delete the object: \`kubectl delete {kind} {leftover}\`. [end] If the product is needed, install it again. [end] If the product of a CRD is not needed, turn the conversion off to read its objects: ${conversionOff}. [with] An update of an object of \`{crd}\` then loses the fields that its version lacks. [with] Delete a CRD only if its objects are not needed, because they are deleted with it: \`kubectl delete crd {crd}\`.`;

const deleteIt =
  '[end] Delete this configuration: `kubectl delete {kind} {leftover}`. [with] If both installations are needed, install the other one again instead.';

const messages = {
  namespaceLeaving: {
    text: 'Namespace {namespace} of the Service has been Terminating since {since}, and {object} remains',
    advice:
      '[end] If the product is needed, install it again when the namespace is deleted. [end] Otherwise delete the object: `kubectl delete {kind} {leftover}`. [with] Delete a CRD only if its objects are not needed, because they are deleted with it: `kubectl delete crd {crd}`. [with] No namespace can be deleted while an APIService is not Available.',
  },
  namespaceStuck: {
    text: 'Namespace {namespace} of the Service has been Terminating since {since}, and {object} remains: {detail}',
    advice:
      '[look] Read why the namespace is not deleted yet: `kubectl describe namespace {namespace}`. [end] If the namespace waits for finalizers, start the controller that removes them. [end] If an APIService is not Available, fix or delete it. [end] If the product is needed, install it again when the namespace is deleted. [end] Otherwise delete the object: `kubectl delete {kind} {leftover}`. [with] Delete a CRD only if its objects are not needed, because they are deleted with it: `kubectl delete crd {crd}`.',
  },
  conversionWaits: {
    text: 'Namespace {namespace} of the Service has been Terminating since {since}: objects of {object} cannot be converted ({detail})',
    advice: `[end] If the product is not needed, turn the conversion off: ${conversionOff}. [with] Kubernetes then deletes the namespace. [end] If the product is needed, install it again in another namespace.`,
  },
  discoveryWaits: {
    text: 'Namespace {namespace} of the Service has been Terminating since {since}: the deletion waits for the discovery of {object}',
    advice:
      '[end] Delete the APIService: `kubectl delete {kind} {leftover}`. [with] Kubernetes then deletes the namespace. [with] If the product is needed, wait until the namespace is deleted, and then install the product again.',
  },
  namespaceGone: 'Namespace {namespace} of {installation} does not exist; this configuration remains',
  replaced: {
    sharedCause:
      'These configurations remain from an earlier installation: current ones have the same webhooks, and their Service {service} exists',
    text: 'This configuration remains from an earlier installation: the current one, {other}, has the same webhook, and its Service {service} exists',
    advice: deleteIt,
  },
  renamed: {
    sharedCause:
      'Namespace {namespace} of their Service does not exist; others, which call Service {service}, have webhooks for the same requests',
    text: 'Namespace {namespace} of the Service does not exist; {other}, which calls Service {service}, has a webhook for the same requests',
    advice:
      '[look] Compare this configuration with the other one: `kubectl get {kind} {leftover} -o yaml`. [end] If this configuration remains from an earlier installation, delete it: `kubectl delete {kind} {leftover}`. [end] If the product of this configuration is needed, install the product again.',
  },
  // That the Service is missing may have another cause, as in an upgrade that has not ended.
  leftover: {
    sharedCause:
      'These configurations have version label {version}, and others of the same product have {current}: an upgrade left these',
    text: 'This configuration has version label {version}, and {other} of the same product has {current}: an upgrade left this one',
    explains: false,
    advice:
      '[end] If the current version of the product does not contain this configuration, delete it: `kubectl delete {kind} {leftover}`. [with] If the upgrade is still in progress, wait until it has ended.',
  },
  nothingLeft: 'No workload of {installation} is left in namespace {namespace}',
} as const satisfies Messages;

const requires = ['callouts', 'services', 'namespaces', 'workloads'] as const;

type OwnStep = CheckStep<ServiceBacked, typeof requires, typeof messages, typeof advice>;

/** The namespace of the Service is being deleted, and perhaps waits for this object. */
const namespaceLeaving: OwnStep = (callout, { namespaces }, find) => {
  const { namespace: name } = callout.client.service;
  const since = namespaces.get(name)?.metadata.deletionTimestamp;
  if (since === undefined) return undefined;
  const object = { kind: 'Namespace', name };
  const evidence = { object, field: 'metadata.deletionTimestamp', value: since };
  const remaining = remainingIn(namespaces.get(name));
  const { type, message = '' } = remaining ?? {};
  const data = { object: `${callout.ref.kind} ${callout.ref.name}`, namespace: name, since };
  if (remaining === undefined) return { ...find('namespaceLeaving', data, [evidence]), since };
  const blocking = { object, field: `status.conditions[${type}]`, value: message };
  const ofConversion = isConversionOf(callout, message) ? 'conversionWaits' : 'namespaceStuck';
  const messageId = isOfDiscovery(callout, remaining) ? 'discoveryWaits' : ofConversion;
  return { ...find(messageId, { ...data, detail: brief(message) }, [blocking, evidence]), since };
};

/** Another configuration has replaced this one, or a later version of the product has left it. */
const replaced: OwnStep = (callout, facts, find) => {
  // The Service of a new configuration may still follow.
  const isRecent = ageIfRecent(callout.metadata, facts.takenAt) !== undefined;
  const same = successor(callout, facts);
  const other = same ?? (isRecent ? undefined : renamed(callout, facts));
  if (other?.client.service !== undefined) {
    const data = { other: other.configuration, service: keyOf(other.client.service) };
    const evidence = [{ object: other.ref, field: 'webhooks[].name', value: other.webhook }];
    const { namespace } = callout.client.service;
    return same === undefined
      ? find('renamed', { ...data, namespace }, evidence)
      : find('replaced', data, evidence);
  }
  const leftover = isRecent ? undefined : laterVersion(callout, facts);
  return leftover && find('leftover', leftover.data, [leftover.evidence]);
};

/**
 * True for a CRD that `helm uninstall` deletes: its release exists, perhaps with CRDs only. Helm deletes what a chart
 * declares in its templates, unless an annotation keeps it (helm pkg/action/resource_policy.go).
 */
const isOfRelease = ({ kind, metadata }: Callout): boolean =>
  kind === 'conversion' &&
  helmRelease(metadata) !== undefined &&
  metadata.annotations?.['helm.sh/resource-policy'] === undefined;

/** Nothing of the installation is left. */
const installationGone: OwnStep = (callout, facts, find) => {
  const { callouts, services, namespaces, workloads } = facts;
  const { service } = callout.client;
  const { namespace, name } = service;
  const installation = installationOf(callout);
  if (installation === undefined || mayBeIncomplete(callout, installation, facts)) return undefined;
  // The product runs in another namespace, and this is no remnant of a second installation: the reference is wrong.
  const elsewhere = [...otherNamespaces(service, services), ...calledNamesakes(service, facts)];
  if (elsewhere.length > 0 && !isOfSecond(callout, callouts)) return undefined;
  const homes = [...new Set([namespace, installation.namespace ?? namespace])];
  const left = homes.filter((home) => namespaces.get(home) !== undefined);
  const words = [...installation.words, name];
  if (left.some((home) => (workloads.get(home) ?? []).some((workload) => belongsTo(workload, words))))
    return undefined;
  const isGone = namespaces.get(namespace) === undefined;
  if (!isGone && isOfRelease(callout)) return undefined;
  const data = { installation: installation.name, namespace };
  return find(isGone ? 'namespaceGone' : 'nothingLeft', data, [installation.evidence]);
};

export const orphanedConfiguration = defineCheck({
  meta: {
    id: 'orphaned-configuration',
    title: 'Product is no longer installed',
    consequence: 'failing',
    why: 'Webhook configurations, CRDs and APIServices are cluster-scoped: they remain when a product is uninstalled or its namespace is deleted. The API server continues to call them.',
    advice,
    messages,
  },
  requires,
  subjects: ({ callouts, services }) =>
    servedByService({ callouts }).filter(({ client: { service } }) => services.isAbsent(keyOf(service))),
  run: (callout, facts, find) =>
    // The controller that restores the object may also restore the rest of the installation.
    isRestored(callout.metadata)
      ? undefined
      : firstReported(namespaceLeaving, installationGone, replaced)(callout, facts, find),
});
