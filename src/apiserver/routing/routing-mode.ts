import { calloutId, isAdmission, isReviewed } from '../../facts/callout.ts';
import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import { newestEventsFirst } from '../../facts/objects/event.ts';
import type { Condition } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Facts, RoutingEvidence, RoutingMode } from '../../facts/snapshot.ts';
import { settings } from '../../facts/workloads/leaders.ts';
import { listed } from '../../phrases/lists.ts';
import type { CallError } from '../sentences/call-error/call-error.ts';
import { parseCallError } from '../sentences/call-error/parse-call-error.ts';

/** A text of the API server, and its source. */
export interface LocatedText {
  readonly text: string;
  /** The source as text: `event of ReplicaSet shop/policy-abc`. */
  readonly where: string;
  /** The text is known to be the error of a call through a Service, even if it does not contain that. */
  readonly ofCall?: boolean;
}

const entriesOf = <V>(lookup: Lookup<V>, key: string | undefined): readonly V[] => {
  if (key === undefined) return lookup.all();
  const value = lookup.getIfKnown(key);
  return value === undefined ? [] : [value];
};

/**
 * The routing mode that an address and port prove: they belong to a Service, or to an endpoint.
 *
 * @param key of the Service that was called; undefined: any Service.
 */
function modeOfAddress(
  { address, port }: Dialled,
  key: string | undefined,
  services: Lookup<Service>,
  slices: Lookup<readonly EndpointSlice[]>,
): RoutingMode | undefined {
  const called = entriesOf(services, key);
  // The address of an ExternalName Service can belong to anything.
  if (key !== undefined && called.some(({ spec }) => spec.type === 'ExternalName')) return undefined;
  const own = called.some(
    ({ spec }) =>
      (spec.clusterIP === address || spec.clusterIPs?.includes(address)) &&
      spec.ports?.some((candidate) => candidate.port === port),
  );
  if (own) return 'cluster-ip';
  const endpoint = entriesOf(slices, key)
    .flat()
    .some(
      (slice) =>
        slice.endpoints?.some(({ addresses }) => addresses.includes(address)) &&
        slice.ports?.some((candidate) => candidate.port === port),
    );
  return endpoint ? 'endpoints' : undefined;
}

interface Dialled {
  readonly address: string;
  readonly port: number;
}

/** `failing or missing response from https://203.0.113.9:443/apis/…`: with the resolved address. */
function dialled({ cause, host, port }: CallError): Dialled | undefined {
  if (cause?.address !== undefined && cause.port !== undefined)
    return { address: cause.address, port: cause.port };
  if (host === undefined || port === undefined) return undefined;
  return { address: host.replace(/^\[|\]$/g, ''), port };
}

/** True if the API server looks up the name of an ExternalName Service: the resolver of endpoints refuses such a Service. */
const looksUpExternalName = ({ cause }: CallError, called: readonly Service[]): boolean =>
  cause?.host !== undefined &&
  called.some(({ spec }) => spec.type === 'ExternalName' && spec.externalName === cause.host);

/**
 * The mode that one error of a call through a Service proves: only one resolver returns this error, or this
 * address: apiserver/pkg/util/proxy/proxy.go. A request through `services/proxy` always goes to a Pod and
 * proves nothing.
 */
function proves(
  error: CallError,
  ofCall: boolean,
  services: Lookup<Service>,
  slices: Lookup<readonly EndpointSlice[]>,
): RoutingMode | undefined {
  const called = error.kind === 'call-failure' || error.kind === 'conversion';
  if (called ? error.service === undefined && !ofCall : error.kind !== 'apiservice') return undefined;
  if (error.text.includes('error trying to reach service')) return undefined;
  switch (error.cause?.kind) {
    case 'no-endpoints':
    case 'external-name':
      return 'endpoints';
    case 'headless':
      return 'cluster-ip';
    default: {
      const key = error.service === undefined ? undefined : keyOf(error.service);
      if (looksUpExternalName(error, entriesOf(services, key))) return 'cluster-ip';
      const end = dialled(error);
      return end && modeOfAddress(end, key, services, slices);
    }
  }
}

/** Excludes most events, which are about something else. */
const aboutACall = /webhook|response from|bad status from|timed out waiting for https/;

/**
 * The routing mode that error texts prove; undefined if they contradict each other (an API server that was
 * restarted, or several with different flags).
 */
export function routingModeOf(
  texts: Iterable<LocatedText>,
  services: Lookup<Service>,
  slices: Lookup<readonly EndpointSlice[]>,
): RoutingEvidence {
  let known: { readonly mode: RoutingMode; readonly because: string } | undefined;
  for (const { text, where, ofCall } of texts) {
    if (!ofCall && !aboutACall.test(text)) continue;
    const error = parseCallError(text);
    const mode = error === undefined ? undefined : proves(error, ofCall ?? false, services, slices);
    if (error === undefined || mode === undefined) continue;
    if (known !== undefined && known.mode !== mode) {
      return { mode: undefined, because: `${known.because}; but ${where}: ${error.text}` };
    }
    known ??= { mode, because: `${where}: ${error.text}` };
  }
  return known ?? { mode: undefined };
}

const conditionTexts = (
  conditions: readonly Condition[] | undefined,
  where: string,
): readonly LocatedText[] =>
  (conditions ?? []).flatMap(({ message, type }) =>
    message === undefined ? [] : [{ text: message, where: `condition ${type} of ${where}` }],
  );

/** The facts that can show the routing mode. */
export const routingFacts = [
  'apiServerPods',
  'callouts',
  'probes',
  'events',
  'namespaces',
  'workloads',
  'services',
  'endpointSlices',
] as const;
type RoutingFacts = Pick<Facts, (typeof routingFacts)[number]>;

function* dryRunTexts({ callouts, probes }: RoutingFacts): Generator<LocatedText> {
  for (const callout of callouts) {
    const id = calloutId(callout);
    const text = probes.getIfKnown(id)?.dryRun?.message ?? '';
    if (text !== '') yield { text, where: `dry run for ${id}` };
  }
}

/** Results of this run, then events, newest first. An APIService's condition has a resolver's error only. */
function* textsIn(facts: RoutingFacts): Generator<LocatedText> {
  yield* dryRunTexts(facts);
  for (const callout of facts.callouts) {
    if (isAdmission(callout)) continue;
    const texts = conditionTexts(callout.conditions, `${callout.ref.kind} ${callout.configuration}`);
    for (const text of texts) yield { ...text, ofCall: !isReviewed(callout) };
  }
  const read = new Set<string>();
  for (const {
    message,
    involvedObject: { kind, namespace, name },
  } of newestEventsFirst(facts.events.all().flat())) {
    if (message === undefined || read.has(message)) continue;
    read.add(message);
    yield { text: message, where: `event of ${kind} ${namespace}/${name}` };
  }
  for (const { metadata, status } of facts.namespaces.all()) {
    yield* conditionTexts(status?.conditions, `Namespace ${metadata.name}`);
  }
  for (const { kind, metadata, status } of facts.workloads.all().flat()) {
    yield* conditionTexts(status.conditions, `${kind} ${metadata.namespace}/${metadata.name}`);
  }
}

/** The mode in the flags of the API servers, if they can be read and agree (kube-apiserver options). */
function modeOfFlags({ apiServerPods }: RoutingFacts): RoutingEvidence {
  const pods = apiServerPods.getIfKnown('kube-apiserver') ?? [];
  const [mode, ...others] = new Set(pods.map(routingFlag));
  if (mode === undefined || others.length > 0) return { mode: undefined };
  return { mode, because: `flags of ${listed(pods.map(({ metadata }) => `Pod ${metadata.name}`))}` };
}

function routingFlag({ spec }: Pod): RoutingMode {
  const [, value = 'true'] = spec.containers
    .flatMap(settings)
    .findLast(([name]) => name === 'enable-aggregator-routing') ?? ['', 'false'];
  return /^(1|t|true)$/i.test(value) ? 'endpoints' : 'cluster-ip';
}

/** The routing mode that the facts prove: dry runs, conditions, events; else the flags of API servers. */
export function routingModeFrom(facts: RoutingFacts): RoutingEvidence {
  const proven = routingModeOf(textsIn(facts), facts.services, facts.endpointSlices);
  return proven.because === undefined ? modeOfFlags(facts) : proven;
}
