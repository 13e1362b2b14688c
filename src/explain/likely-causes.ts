import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import type { CauseKind } from '../apiserver/sentences/call-error/cause-kind.ts';
import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';
import { products } from '../products/catalogue.ts';
import { byWebhookName, productOfWebhook } from '../products/of-webhook.ts';
import type { Product } from '../products/product.ts';
import { afterEnd } from './context.ts';
import { isThroughApi, linkOf } from './meaning.ts';
import { beats } from './recognise.ts';
import { brokenPods, type RecognisedRecord } from './recognised-record.ts';

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/** Ports of Services and kubelets, which firewalls of managed control planes permit without another rule. */
const openPorts: ReadonlySet<number> = new Set([443, 10250]);

/** The product of the webhook or Service that a text names. */
const productIn = ({ webhook = '', service }: CallError): Product | undefined =>
  productOfWebhook(webhook) ??
  (service && products.find(({ listensAt }) => listensAt?.service === service.name));

/** Whether a connection to such a port got no response: with a port of a Pod, a firewall is likelier. */
function isOpenPort(error: CallError): boolean {
  const { kind, cause, host, port = 443 } = error;
  if (cause?.symptom !== 'connect-timeout' && cause?.symptom !== 'deadline') return false;
  if (kind === 'apiservice') return openPorts.has(cause.port ?? port);
  // Without an address, the text does not show the port of the Pod.
  const dialed = cause.port ?? (cause.symptom === 'deadline' ? productIn(error)?.listensAt?.port : undefined);
  return host === undefined && dialed !== undefined && openPorts.has(dialed);
}

/**
 * Service of kubebuilder's scaffold, `webhook-service` with a prefix: the caBundle of its configuration is empty until a
 * CA injector writes it (kubebuilder config/webhook/service.yaml, config/default/kustomization.yaml).
 */
const scaffolded = /(?:^|-)webhook-service$/;

/** Whether a CA injector writes the caBundle: then another CA in it is rarer than an empty one. */
const isInjected = (error: CallError): boolean =>
  scaffolded.test(error.service?.name ?? '') || productIn(error)?.rotation?.authorityOnly === true;

/** Policy engines; an injector only fills in a template. */
const policyEngine = byWebhookName(({ enforces, injects }) =>
  injects === undefined ? enforces?.webhooks : undefined,
);

const inTime = /deadline exceeded|timeout|timed out|request canceled/i;

/**
 * A request of a webhook's Pod, which connects to Service `kubernetes`: the logger is the webhook, or the object is its
 * Secret or configuration. Kubelets and clients outside the cluster use another address.
 */
const ofWebhookPod =
  /^(?=.*\bhttps:\/\/(?!127\.|\[::1\])(?:\d[\d.]+|\[[\da-f:]+\]|kubernetes\.default\.svc):443\/)(?:(?:.*[\s/])?(?:[\w-]+-)?webhook: |.*(?:\badmission chain: |:443\/\S+\/(?:secrets\/[\w.-]*(?:webhook|admission)|(?:mutating|validating)webhookconfigurations)\b))/;

/** The known texts by which checks are found: the end of the call first, then the kind of refusal. */
export function knownTextsOf(found: RecognisedRecord): readonly KnownText[] {
  if (found.of === 'component') {
    const { kind } = found.component;
    const isOfWebhook = kind === 'api-server-unreachable' && ofWebhookPod.test(found.text);
    return isOfWebhook ? ['webhook-cut-off'] : [kind];
  }
  const { kind, cause } = found.error;
  if (found.reason?.kind === 'denial-by-rule') return [found.reason.kind];
  if (found.reason !== undefined) return [found.reason.kind, kind];
  // The limit of the request in old releases, and the default timeout of a webhook in v1beta1. Several shorter calls
  // end with this text, too; in the known incidents it was usually one call that a firewall dropped.
  if (kind === 'timeout-504' && /\btimeout 30s\b/.test(found.text)) return ['time-of-one-webhook', kind];
  if (cause === undefined) return [kind === 'call-failure' || kind === 'conversion' ? 'call-cut' : kind];
  if (found.context === 'backend-replaced') return ['backend-replaced', cause.symptom, kind];
  if (isThroughApi(found.error)) return ['api-unavailable', cause.symptom, kind];
  // The API server checks an APIService again and again: a refused check is rarely of its start.
  if (cause.symptom === 'connection-refused' && kind === 'apiservice')
    return ['apiservice-no-endpoint', cause.symptom, kind];
  // Pods of the backend that its own webhook refuses are reported by controllers, not to a client.
  if (cause.symptom === 'no-endpoints' && found.isOfClient && found.refusedPod === undefined)
    return ['no-endpoints-for-client', cause.symptom, kind];
  if (isOpenPort(found.error)) return ['open-port-not-reached', cause.symptom, kind];
  if (cause.symptom === 'unknown-authority' && (found.isCreation || isInjected(found.error)))
    return ['injected-authority', cause.symptom, kind];
  // Objects that must be converted are in use: their product is rarely removed, and older than this installation.
  if (cause.symptom === 'service-missing' && kind === 'conversion')
    return ['service-not-found', cause.symptom, kind];
  if (cause.symptom === 'url-not-reached' && loopback.test(found.error.host ?? ''))
    return ['url-of-loopback', cause.symptom, kind];
  // A policy engine evaluates policies, and may ask registries, before it responds.
  const isSlow =
    cause.symptom === 'deadline' &&
    found.text.split(/[^\w.-]+/).some((word) => policyEngine(word) !== undefined);
  return isSlow ? ['policies-too-slow', cause.symptom, kind] : [cause.symptom, kind];
}

/** Errors that end when new Pods of the backend start: nothing responds, or not at the path of a new release. */
const endedByNewPods: ReadonlySet<CauseKind> = new Set([
  'path-not-found',
  'no-endpoints',
  'connection-refused',
  'no-route',
  'connect-timeout',
  'deadline',
  'tunnel',
]);

/**
 * Ids of checks that may be the cause of a record, likeliest first. A refused Pod of the webhook's own
 * backend is a deadlock; any other one, or a conversion without an endpoint, may be part of one, but is rarely. Causes
 * that affect several backends come first.
 */
export function causeIds(
  found: RecognisedRecord,
  explaining: (text: KnownText) => readonly string[],
): readonly string[] {
  const texts = knownTextsOf(found);
  const isHeartbeat =
    found.of === 'call'
      ? found.isHeartbeat === true
      : beats.test(found.text) && inTime.test(found.text.replace(/\?timeout=\w+/g, ''));
  const known = [
    ...new Set((isHeartbeat ? ['heartbeat-refused' as const, ...texts] : texts).flatMap(explaining)),
  ];
  const hinted = (found.circumstances ?? []).flatMap(explaining).filter((id) => known.includes(id));
  if (found.of === 'component') return [...new Set([...hinted, ...known])];
  const { context } = found;
  const first =
    context === undefined || context === 'denies-several' || linkOf(found) === 'tls'
      ? []
      : explaining(context);
  const others = known.filter((id) => !first.includes(id));
  const near = found.nearby === undefined ? [] : explaining(found.nearby);
  const ids = [...known.filter((id) => first.includes(id)), ...new Set([...hinted, ...near, ...others])];
  const { kind, cause } = found.error;
  const isUnserved = kind === 'conversion' && cause?.kind === 'no-endpoints';
  const isEnded =
    cause === undefined
      ? kind === 'call-failure' || texts.includes('time-of-one-webhook')
      : endedByNewPods.has(cause.kind);
  const isBroken = brokenPods.some((kind) => kind === context);
  if (!isUnserved && (found.refusedPod === undefined || !isEnded || isBroken)) return ids;
  const deadlocks = explaining(isUnserved ? 'conversion-unserved' : 'pod-refused');
  // Packets that get no response are lost on the way, which is the likelier reason.
  const isFirst =
    found.refusedPod === 'own' ||
    (found.refusedPod === 'any' &&
      (cause === undefined ? kind === 'call-failure' : afterEnd.has(cause.kind)));
  const kept = found.nearby === undefined ? Number(!isFirst) : 1;
  const likelier = ids.slice(0, kept).filter((id) => !deadlocks.includes(id));
  return [...new Set([...likelier, ...deadlocks, ...ids])];
}
