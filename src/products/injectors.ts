import { type AdmissionCallout, type Callout, isAdmission } from '../facts/callout.ts';
import { type LabelSelector, type Labels, selects } from '../facts/objects/label-selector.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { allContainers } from '../facts/workloads/pod-context.ts';
import { byWebhookName } from './of-webhook.ts';
import type { Injection } from './product.ts';

/** A product that changes Pods, and how its changes can be recognized. */
export interface Injector {
  readonly product: string;
  readonly injects: Injection;
}

const injector = byWebhookName(({ injects }) => injects?.webhooks);

/** The injection of a webhook into Pods; undefined for unknown names, and if it changes no Pods. */
export function injectorOf(callout: Callout): Injector | undefined {
  if (!isAdmission(callout) || callout.kind !== 'mutating') return undefined;
  const product = injector(callout.webhook);
  return product?.injects && { product: product.name, injects: product.injects };
}

/** True for webhooks that leave Pods unchanged if they fail open. */
export const mayHaveMissedPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && callout.failurePolicy === 'Ignore' && injectorOf(callout) !== undefined;

/** The annotation or label with which a Pod requests injection, as `key=value`; undefined if it does not. */
export function requestOf(injects: Injection, { metadata }: Pod, namespace: Namespace): string | undefined {
  const { annotations = {}, labels = {} } = metadata;
  const { asked, refused } = injects;
  if (asked === undefined)
    return refused !== undefined && [labels, annotations].some((marks) => marks[refused] === 'true')
      ? `${refused}=true`
      : undefined;
  const { key, values, ofNamespace, in: kind = 'annotations' } = asked;
  const inherited = ofNamespace === true ? namespace.metadata.annotations?.[key] : undefined;
  const value = { annotations, labels }[kind][key] ?? inherited ?? '';
  return values.includes(value) ? `${key}=${value}` : undefined;
}

/** A label that every namespace has. */
const ofName = 'kubernetes.io/metadata.name';

/** The labels of an object that a selector requires, if it matches: `istio-injection=enabled`. */
export function requiredLabels(selector: LabelSelector, labels: Labels = {}): readonly string[] {
  if (!selects(selector, labels)) return [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const keys = [
    ...Object.keys(matchLabels),
    ...matchExpressions
      .filter(({ operator }) => operator === 'In' || operator === 'Exists')
      .map(({ key }) => key),
  ];
  return keys.filter((key) => key !== ofName).map((key) => `${key}=${labels[key]}`);
}

/** The label of the namespace with which it requests injection into all its Pods; undefined if there is none. */
export const requestOfNamespace = (
  { askedByNamespace = [] }: Injection,
  { metadata }: Namespace,
  { namespaceSelector }: AdmissionCallout,
): string | undefined =>
  requiredLabels(namespaceSelector, metadata.labels).find((label) =>
    askedByNamespace.includes(label.slice(0, label.indexOf('='))),
  );

/** True for a value that is not one of Istio for yes (pkg/kube/inject/inject.go injectRequired); empty: the default. */
const isRefusal = (value = ''): boolean => !['', 'y', 'yes', 'true', 'on'].includes(value.toLowerCase());

/** True if a Pod lacks what every injection sets, although the injector should have changed it. */
export function lacksInjection(injects: Injection, pod: Pod, namespace: Namespace): boolean {
  const { metadata, spec } = pod;
  const { annotations = {}, labels = {} } = metadata;
  const { mark, asked, refused, needsToken, notBeside = [], neverIn = [] } = injects;
  if (neverIn.includes(namespace.metadata.name)) return false;
  if (allContainers(pod).some(({ name }) => notBeside.includes(name))) return false;
  if ([annotations, labels].some((marks) => Object.hasOwn(marks, mark)) || spec.hostNetwork === true)
    return false;
  if (spec.volumes?.some(({ name }) => name === mark) === true) return false;
  if (needsToken === true && spec.automountServiceAccountToken === false) return false;
  // A static Pod of the node, of which the API server has only a mirror Pod.
  if (Object.hasOwn(annotations, 'kubernetes.io/config.mirror')) return false;
  if (refused !== undefined && [annotations, labels].some((marks) => isRefusal(marks[refused]))) return false;
  return asked === undefined || requestOf(injects, pod, namespace) !== undefined;
}
