import type { FailedEndpoint } from '../apiserver/connection/probed-endpoints.ts';
import { healthPort, isOfTlsServer, servedPort } from '../apiserver/sentences/logs/log-lines.ts';
import { firstResult } from '../basics/collections.ts';
import { secondsSince } from '../basics/time.ts';
import type { Container, Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { lastingContainers } from '../facts/workloads/container-crash.ts';
import { isOff, settings } from '../facts/workloads/leaders.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { configuredPorts, declaredPorts, portIn, serverSettings } from '../facts/workloads/pod-ports.ts';
import { isPodReady, startupSeconds } from '../facts/workloads/pod-state.ts';
import { controllerOf, revisionOf } from '../facts/workloads/workloads.ts';
import { listed } from '../phrases/lists.ts';
import type { PodWithState } from './bad-replicas.ts';

/** The errors of a probe without a response: nothing refuses its connection (Go's net/http and net). */
export const probeTimedOut = /deadline exceeded|request canceled|i\/o timeout/;

/** Seconds since the newest container of a Pod started; a Pod that was not read counts as old. */
export const secondsRunning = (pod: Pod | undefined, now: string): number =>
  Math.min(
    ...(pod?.status.containerStatuses ?? []).map(
      ({ state }) => secondsSince(state?.running?.startedAt, now) ?? startupSeconds,
    ),
    pod === undefined ? startupSeconds : Number.POSITIVE_INFINITY,
  );

/** A Pod by its name; undefined without a name, and if it is not one of these Pods. */
export const podByName = (name: string | undefined, pods: readonly Pod[]): Pod | undefined =>
  pods.find(({ metadata }) => metadata.name === name);

/** Ports of readiness probes that succeed, as the Pod is Ready. */
const answeredPorts = (pod: Pod): readonly number[] => {
  if (!isPodReady(pod)) return [];
  return pod.spec.containers.flatMap(({ readinessProbe, ports }) => {
    const port =
      readinessProbe?.httpGet?.port ?? readinessProbe?.tcpSocket?.port ?? readinessProbe?.grpc?.port;
    if (typeof port === 'number') return [port];
    const named = ports?.find(({ name }) => name !== undefined && name === port);
    return named === undefined ? [] : [named.containerPort];
  });
};

/**
 * The container of a Pod that serves the tried port: the only one that declares it or has a setting with it, or the only
 * container; undefined if it is not known.
 */
export function containerOfPort(pod: Pod, tried: number | undefined): Container | undefined {
  const containers = lastingContainers(pod);
  const using = containers.filter(
    (container) =>
      container.ports?.some(({ containerPort }) => containerPort === tried) === true ||
      serverSettings(container).some(([, port]) => port === tried),
  );
  const [own, ...others] = using.length > 0 ? using : containers;
  return others.length > 0 ? undefined : own;
}

/**
 * The port on which the webhook server of a Pod listens, according to the log of the container of the tried port.
 * Undefined if the port is that of another server.
 */
export function portInLog(
  pod: Pod,
  tried: number | undefined,
  facts: Pick<Facts, 'logs'>,
): number | undefined {
  const containers = lastingContainers(pod);
  const own = containerOfPort(pod, tried);
  if (own === undefined) return undefined;
  const served = servedPort(logOf(pod, own.name, facts))?.port;
  // A container that declares both ports has two servers.
  const declaresTried = own.ports?.some(({ containerPort }) => containerPort === tried) === true;
  const isOfOther = containers.some((container) =>
    container.ports?.some(
      ({ name = '', containerPort }) =>
        containerPort === served &&
        (container !== own || ofOtherServer.test(name) || (declaresTried && served !== tried)),
    ),
  );
  return isOfOther ? undefined : served;
}

/** The ports that the settings of a Pod name, or those that it declares. */
function expectedPorts(pod: Pod): readonly number[] {
  const configured = configuredPorts(pod).map(([, port]) => port);
  return configured.length > 0 ? configured : declaredPorts(pod);
}

/** Other ports than the tried one that may be open: set or declared in the Pod, or probed. */
export const otherPorts = (pod: Pod, tried: number): readonly number[] =>
  [...new Set([...expectedPorts(pod), ...answeredPorts(pod)])].filter((port) => port !== tried);

/** True if the Pod sets or declares other ports than the refusing one: the Service has the wrong port. */
export function isWrongPort({ callResult, pod, probe }: FailedEndpoint, pods: readonly Pod[]): boolean {
  if (callResult.fault !== 'refused' || probe === undefined) return false;
  const read = podByName(pod, pods);
  if (read === undefined) return false;
  return !expectedPorts(read).includes(probe.port) && otherPorts(read, probe.port).length > 0;
}

/** True for the kubelet's errors if a server that expects TLS receives HTTP: of Node, Go, and others. */
export const isOfPlainHttp = (error: string): boolean =>
  /\bEOF\b|statuscode: 400|malformed HTTP|connection reset by peer/.test(error);

/** Flags and variables that start the webhook server: `--webhook-mode`, `ENABLE_WEBHOOKS`; and those that do not. */
const startsServer =
  /^(?:enable[-_])?(?:(?:admission|validating|mutating)[-_])*webhooks?(?:[-_](?:server|mode|enabled?))?$/i;
const stopsServer = /^disable[-_](?:(?:admission|validating|mutating)[-_])*webhooks?(?:[-_]server)?$/i;

/** A flag or an environment variable of a container whose value is known: a flag alone has the value `true`. */
interface KnownSetting {
  readonly name: string;
  readonly value: string;
  /** `--tls`, `TLS`. */
  readonly shown: string;
  /** `--tls=false`, `TLS=false`, `--disable-tls`. */
  readonly text: string;
}

/** The settings of a container, without variables from ConfigMaps and Secrets. */
export const knownSettings = (container: Container): readonly KnownSetting[] =>
  settings(container).flatMap(([name, value]) => {
    const isVariable = container.env?.some((one) => one.name === name) === true;
    if (isVariable && value === undefined) return [];
    const shown = isVariable ? name : `--${name}`;
    return [{ name, value: value ?? 'true', shown, text: value === undefined ? shown : `${shown}=${value}` }];
  });

/** The setting that turns a feature of a program off: `--webhook-mode=disabled`; undefined if there is none. */
const switchedOff = (container: Container | undefined, starts: RegExp, stops: RegExp): string | undefined =>
  (container === undefined ? [] : knownSettings(container)).find(
    ({ name, value }) =>
      (starts.test(name) && value !== '' && isOff(value)) || (stops.test(name) && !isOff(value)),
  )?.text;

/** The setting of a Pod that turns its webhook server off, that of the tried port. */
export const serverSwitchedOff = (pod: Pod, tried: number | undefined): string | undefined =>
  switchedOff(containerOfPort(pod, tried), startsServer, stopsServer);

/**
 * The setting that starts the webhook server of one container on this port, `--validating-webhook=:8443` of ingress-nginx,
 * if another container has neither this setting nor one that the first does not have, and that may replace it. Without a
 * setting that only names the port, such as `--webhook-port`, a program uses its default.
 */
export function lackedSetting(by: Container, having: Container, port: number): string | undefined {
  const names = new Set(settings(having).map(([name]) => name));
  const isStart = ({ name, value }: KnownSetting): boolean =>
    startsServer.test(name) && portIn(value) === port && !/[g-z]/i.test(value);
  const isOther = settings(by).some(([name]) => !names.has(name)) || knownSettings(by).some(isStart);
  return isOther ? undefined : knownSettings(having).find(isStart)?.text;
}

/**
 * The setting that started the webhook server on this port before the last rollout, which removed it. Undefined if the
 * earlier ReplicaSet was not read.
 */
export function removedSetting(
  { metadata, spec }: Pod,
  port: number,
  { workloads }: Pick<Facts, 'workloads'>,
): string | undefined {
  const all = (workloads.getIfKnown(metadata.namespace ?? '') ?? []).filter(
    ({ kind }) => kind === 'ReplicaSet',
  );
  const own = all.find((one) => one.metadata.name === controllerOf(metadata)?.name);
  const deployment = own && controllerOf(own.metadata)?.uid;
  const [former] = all
    .filter((one) => own !== undefined && controllerOf(one.metadata)?.uid === deployment)
    .filter((one) => own !== undefined && revisionOf(one) > 0 && revisionOf(one) < revisionOf(own))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a));
  return firstResult(former?.spec.template.spec.containers ?? [], (before) => {
    const now = spec.containers.find(({ name }) => name === before.name);
    return now && lackedSetting(now, before, port);
  });
}

/** Settings with which a server uses TLS, and those with which it does not; not those of clients and of metrics. */
const servesTls =
  /^(?:(?:web|webhooks?|server|serving|admission|https?|listen)[-_.])*(?:enable[-_.]?)?(?:https|tls|ssl)(?:[-_.]?enabled?)?$/i;
const servesNoTls = /^(?:(?:web|webhooks?|server|serving)[-_.])*(?:disable|no)[-_.](?:https|tls|ssl)$/i;

/** The setting of a Pod that turns TLS off for its server at the tried port. */
export const tlsSwitchedOff = (pod: Pod, tried: number | undefined): string | undefined =>
  switchedOff(containerOfPort(pod, tried), servesTls, servesNoTls);

/**
 * Settings with which a program writes its own certificate, and those with which it does not: `--disable-cert-rotation`
 * of Gatekeeper and azure-workload-identity, `--enable-cert-rotation` of KEDA, `PILOT_CERT_PROVIDER=none` of istiod.
 */
const writesCertificate =
  /^(?:enable[-_]cert(?:ificate)?[-_](?:rotation|management|generation)|(?:pilot[-_])?cert(?:ificate)?[-_]provider)$/i;
const writesNone = /^disable[-_]cert(?:ificate)?[-_](?:rotation|management|generation)$/i;

/** The setting of a container with which its program does not write its own certificate; a sidecar has that of its mesh. */
export const certificatesSwitchedOff = (container: Container): string | undefined =>
  sidecars.test(container.name) ? undefined : switchedOff(container, writesCertificate, writesNone);

/** The kubelet's error if a probe over HTTP or HTTPS finds its port closed. */
const probedClosed = /Get "?(?<scheme>https?):.* dial tcp \S+:(?<port>\d+): connect: connection refused/;

/** The port that a probe finds closed, and the other one that the server for it has opened, by the log. */
export function probedElsewhere(
  message: string,
  log: string,
): { readonly port: number; readonly served: number } | undefined {
  const closed = probedClosed.exec(message)?.groups;
  const port = Number(closed?.port);
  const served = (closed?.scheme === 'http' ? healthPort(log) : servedPort(log))?.port;
  return port > 0 && served !== undefined && served !== port ? { port, served } : undefined;
}

/** True if a Pod that starts serves TLS on another port than the one that its probe finds closed, by its log. */
export function startsElsewhere({ pod, state }: PodWithState, facts: Pick<Facts, 'logs'>): boolean {
  if (state.state !== 'starting' || state.text === undefined) return false;
  const log = logOf(pod, state.container?.name, facts);
  const { port, served } = probedElsewhere(state.text, log) ?? {};
  // The server of the probed port may start after another one.
  const isOfTls = isOfTlsServer(servedPort(log)?.line ?? '');
  return served !== undefined && isOfTls && portInLog(pod, port, facts) === served;
}

/** Sidecar containers that intercept all connections to a Pod. */
const sidecars = /^(istio-proxy|linkerd-proxy|kuma-sidecar|consul-dataplane|envoy-sidecar|envoy)$/;

/** Servers of a program that no webhook call connects to. */
const ofOtherServer = /metric|health|probe|prof|debug|admin/i;
/** Servers that a program calls. */
const ofClient = /db|redis|proxy|upstream|remote|target|agent|smtp|statsd|vault/i;
/** Settings of a server of the program itself: `--bind-address`, `PORT`, not `OPA_ADDR`. */
const ofOwnServer = /bind|listen|port|server|^(?:addr(?:ess)?|host)$/i;

/** The port in the error of a server that cannot listen: of Go's net package, and of Node. */
const portInUse =
  /listen \w+ \S*:(?<port>\d+): bind: address already in use|EADDRINUSE\b.*?:(?<ofNode>\d{2,5})\b/;

/**
 * Why a port in such an error is in use in the Pod itself: containers, or settings of one container, share it. `users`
 * is undefined if they are not known.
 */
export function sharedPort(
  pod: Pod,
  error: string,
): { readonly port: number; readonly users: string | undefined } | undefined {
  const { port: ofGo, ofNode } = portInUse.exec(error)?.groups ?? {};
  const port = Number(ofGo ?? ofNode);
  // On the host network, another Pod of the node can use it.
  if (pod.spec.hostNetwork === true || Number.isNaN(port)) return undefined;
  const using = lastingContainers(pod).flatMap((container) => {
    const set = serverSettings(container).flatMap(([name, value]) =>
      value === port && ofOwnServer.test(name) && !ofClient.test(name) ? [name] : [],
    );
    const isDeclared = container.ports?.some(({ containerPort }) => containerPort === port) === true;
    return isDeclared || set.length > 0 ? [{ name: container.name, set }] : [];
  });
  const [only, ...others] = using;
  if (only === undefined) return { port, users: undefined };
  if (others.length > 0) return { port, users: `containers ${listed(using.map(({ name }) => name))}` };
  // Two settings can be of one server, such as its port and its address.
  const ofOthers = only.set.filter((name) => ofOtherServer.test(name));
  const areTwo = ofOthers.length > 0 && ofOthers.length < only.set.length;
  return { port, users: areTwo ? `settings ${listed(only.set)} of container ${only.name}` : undefined };
}

/** The sidecar with which a mesh intercepts the connections to a Pod. */
export const sidecarOf = ({ spec }: Pod): string | undefined =>
  [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => sidecars.test(name))?.name;

/** An address that only processes in the same Pod can connect to, as a setting has it. */
const loopback = /^(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)(?::(?<port>\d+))?$/i;
/** Names of settings for the address of a server: `--bind-address`, `LISTEN_ADDR`, `--host`. */
const ofListener =
  /bind|listen|(?:server|webhook|https|tls)[-_](?:host|addr(?:ess)?)$|^(?:host|addr(?:ess)?|ip)$/i;

/** The settings of a Pod by which its server may listen on a port only on localhost: `--bind 127.0.0.1`. */
export const loopbackSettings = ({ spec }: Pod, tried: number): readonly string[] =>
  spec.containers.flatMap(settings).flatMap(([name, value = '']) => {
    const found = loopback.exec(value);
    if (found === null || !ofListener.test(name) || ofOtherServer.test(name) || ofClient.test(name))
      return [];
    return Number(found.groups?.port ?? tried) === tried ? [`${name}=${value}`] : [];
  });
