import {
  cleanLines,
  exitReason,
  isFatal,
  isHandled,
  isInformation,
  lastLogLines,
  relevantLogLines,
  throttledRequest,
} from '../apiserver/sentences/logs/log-lines.ts';
import { reviewOf, unservedReview } from '../apiserver/sentences/logs/unserved-review.ts';
import { firstResult } from '../basics/collections.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { isServed, resourceOfKind } from '../facts/served-resources.ts';
import { endedState } from '../facts/workloads/leaders.ts';
import { configurationOf } from '../facts/workloads/pod-context.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { brief, messageOfLine } from '../phrases/brief.ts';
import { knownSettings } from './listening.ts';
import {
  causeIn,
  found,
  type LogFacts,
  type LoggedCause,
  type LoggedText,
  type Reader,
} from './log-reader.ts';
import { fileReaders } from './logged-file-cause.ts';

const firstFreePort = 1024;

/** From the error itself on, without what a structured log line has after it. */
function errorOf({ from }: LoggedText): string {
  const [error = ''] = from.replaceAll(/\\+"/g, '"').split(/", ?"[\w.-]+":/);
  return brief(error.replace(/"\}+$/, ''));
}

/** An error in a configuration file, with the ConfigMap that provides the file, if one does. */
function ofConfiguration(text: LoggedText): LoggedCause | undefined {
  const { line, pod, container } = text;
  if (isInformation(line)) return undefined;
  const error = errorOf(text);
  const { configMap, key } = configurationOf(pod, container, messageOfLine(line)) ?? {};
  if (configMap === undefined) return found('argument', error);
  const source = key === undefined ? `ConfigMap ${configMap}` : `${key} of ConfigMap ${configMap}`;
  return { ...found('configuration', error, source), configMap };
}

/** Go types without a kind. */
const ofAnyKind = ['Unstructured', 'PartialObjectMetadata'];

/** True if the process ended with this line, or if nothing but a retry follows the last line with this text. */
function isLastReport({ line, pod, container, facts }: LoggedText, report: RegExp): boolean {
  const log = logOf(pod, container, facts);
  if (exitReason(log)?.trim() === line.trim() && !isHandled(line)) return true;
  const lines = cleanLines(log).filter((one) => one !== '' && !/\b(?:retry\w*|backoff)\b/i.test(one));
  return report.test(lines.at(-1) ?? '');
}

/** In the order in which they are tried. */
const readers: readonly Reader[] = [
  {
    // EACCES in the errors of Go's net package, of Node and of nginx; a process without privileges may not bind
    // these ports (ip(7)).
    says: /listen (?:tcp|udp)[46]? \S*?:(?<go>\d+): bind: permission denied|listen EACCES: permission denied \S*?:(?<node>\d+)|bind\(\) to \S*?:(?<nginx>\d+) failed \(13: /,
    cause: ({ first }) => (Number(first) < firstFreePort ? found('port', first) : undefined),
  },
  {
    // EMFILE of inotify_init: `fs.inotify.max_user_instances` of the node is reached (inotify(7)).
    says: /too many open files|inotify_(?:init|add_watch)/,
    cause: () => found('limit'),
  },
  { says: /exec format error/, cause: () => found('architecture') },
  {
    // Errors about the command line, of Go's flag, pflag and cobra, of Python's argparse and of clap.
    says: /(?:unknown (?:shorthand )?flag:|flag provided but not defined|unrecognized (?:arguments|option)|unknown command "[^"]*" for |unexpected argument ')/i,
    inMessage: true,
    cause: (text) => found('argument', errorOf(text)),
  },
  {
    // Errors about a field of a configuration file: of apimachinery's strict decoders, of its `field.Error`, of go-yaml
    // and of mapstructure.
    says: /strict decoding error: unknown field|(?:load|read|pars|validat)\w* (?:the |its )?config\w*\b.{0,200}?(?:Unsupported|Invalid|Required|Duplicate) value|\bfield \S+ (?:not found in|already set in) type |\bhas invalid keys: /i,
    inMessage: true,
    cause: ofConfiguration,
  },
  {
    // Errors of encoding/json and go-yaml, which programs also get for other texts than their configuration.
    says: /\b(?:json|yaml): (?:unknown field|cannot unmarshal|unmarshal errors|line \d+: |control characters|(?:did|could) not find expected |mapping values are not allowed|found |unknown anchor)|\binvalid character '.{1,6}' (?:looking for|after|in) /i,
    inMessage: true,
    cause: (text) =>
      /(?<!webhook|kube)config(?!map)|\.(?:ya?ml|json|toml)\b/i.test(text.line)
        ? ofConfiguration(text)
        : undefined,
  },
  {
    // The address of a Service, which the kubelet sets in each container as `NAME_PORT` (enableServiceLinks), read as a
    // number.
    says: /(?:\\*"(?<name>[A-Z][A-Z0-9_]*_PORT)\\*".{0,80})?parsing \\*"(?<address>tcp:\/\/[^\s"\\]+)\\*": invalid syntax/,
    cause: ({ named: { name = 'a variable', address } }) => found('variable', name, address),
  },
  {
    // A kind that discovery does not list now either. A program that can do without the kind continues.
    says: /no matches for kind \\*"?(?<name>\w+)\\*"? in version \\*"?(?<version>[\w./-]+)/,
    cause: ({ named: { name = '', version = '' }, line, facts: { served } }) => {
      const known = served.getIfKnown('served');
      if (known === undefined || known.stale.includes(version) || isInformation(line)) return undefined;
      return resourceOfKind({ apiVersion: version, kind: name }, known) === undefined
        ? found('kind', name, version)
        : undefined;
    },
  },
  {
    // An informer of client-go (tools/cache/reflector.go) whose list gets 404: a kind that it waits for, and that
    // discovery does not list now either.
    says: /failed to list \*\w+\.(?<type>\w+): the server could not find the requested resource \(get (?<plural>[\w-]+)\.(?<group>[\w.-]+)\)/,
    cause: ({ named: { type = '', plural = '', group = '' }, facts: { served } }) => {
      const known = served.getIfKnown('served');
      if (known === undefined || known.stale.some((version) => version.startsWith(`${group}/`)))
        return undefined;
      if (isServed({ served }, { group, plural })) return undefined;
      return found('kind', ofAnyKind.includes(type) ? plural : type, group);
    },
  },
  {
    // The API server's NotFound error for a CustomResourceDefinition that a program looks up when it starts.
    says: /customresourcedefinitions?\.apiextensions\.k8s\.io \\*"(?<plural>[\w-]+)\.(?<group>[\w.-]+?)\\*" not found/,
    cause: ({ named: { plural = '', group = '' }, line, facts: { served } }) =>
      !served.known('served') || isInformation(line) || isServed({ served }, { group, plural })
        ? undefined
        : found('definition', `${plural}.${group}`),
  },
  {
    // A wait for a CustomResourceDefinition that discovery does not list (wrangler pkg/crd).
    says: /\bwaiting for (?:crds?|customresourcedefinitions?):? \\*"?(?<plural>[\w-]+)\.(?<group>[\w-]+\.[\w.-]+\w)/i,
    cause: ({ named: { plural = '', group = '' }, facts: { served } }) =>
      !served.known('served') || isServed({ served }, { group, plural })
        ? undefined
        : found('definition', `${plural}.${group}`),
  },
  {
    // The API server's NotFound error for a webhook configuration, which does not exist now either: a program looks it
    // up to write its caBundle, or to find another product. It may continue: then a setting must name it.
    says: /\b(?<kind>mutating|validating)webhookconfigurations?(?:\.admissionregistration\.k8s\.io)? \\*"(?<name>[a-z0-9][\w.:-]*)\\*" not found/i,
    cause: ({ named: { kind = '', name = '' }, line, pod, container, facts }) => {
      const existing = facts.configurations.getIfKnown(kind.toLowerCase());
      if (existing === undefined || existing.includes(name)) return undefined;
      const type = `${/^m/i.test(kind) ? 'Mutating' : 'Validating'}WebhookConfiguration`;
      const own = pod.spec.containers.find((one) => one.name === container);
      const setting = own && knownSettings(own).find(({ value }) => value === name);
      const status = pod.status.containerStatuses?.find((one) => one.name === container);
      if (setting !== undefined && status?.state?.running !== undefined)
        return found('misnamed', `${type} ${name}`, setting.shown);
      const isReason = exitReason(logOf(pod, container, facts))?.trim() === line.trim();
      return isReason ? found('registration', type, name) : undefined;
    },
  },
  {
    // Objects in errors of clients that use v1beta1 of their API, which Kubernetes 1.22 removed: they get 404.
    says: /(?:(?<webhooks>(?:Mutating|Validating)WebhookConfiguration)|certificate signing request)\b.*the server could not find the requested resource/,
    cause: ({ named: { webhooks } }) =>
      found('removed', `${webhooks === undefined ? 'certificates' : 'admissionregistration'}.k8s.io/v1beta1`),
  },
  ...fileReaders,
  {
    // Of the SPIFFE Workload API of a SPIRE agent, until it has a registration entry for the Pod
    // (spire pkg/agent/endpoints/workload/handler.go).
    says: /\bno identity issued\b/i,
    cause: (text) => {
      const { served } = text.facts;
      if (!isLastReport(text, /\bno identity issued\b/i)) return undefined;
      if (!served.known('served')) return found('anyEntry');
      const areResources = isServed({ served }, { group: 'spire.spiffe.io', plural: 'clusterspiffeids' });
      return found(areResources ? 'identity' : 'entry');
    },
  },
  {
    // The leader-for-life election of operator-lib (leader/leader.go): the lock belongs to a Pod until that is deleted.
    says: /"?LockOwner"?\s*[:=]\s*\\*"?(?<name>[\w.-]+)/,
    cause: ({ named: { name = '' }, pod: { metadata }, facts: { pods, takenAt } }) => {
      const holder = pods
        .all()
        .flat()
        .find((pod) => pod.metadata.name === name && pod.metadata.namespace === metadata.namespace);
      const state = holder === undefined || name === metadata.name ? undefined : endedState(holder, takenAt);
      return state === undefined ? undefined : found('lock', name, state);
    },
  },
  {
    // Of extension API servers (k8s.io/apiserver), which read what kube-apiserver publishes of its flags.
    // Without --client-ca-file alone, they only warn, and start.
    says: /doesn't provide (?<flag>requestheader-client-ca-file)/,
    cause: ({ first, line, pod, container, facts }) =>
      !isHandled(line) && exitReason(logOf(pod, container, facts))?.trim() === line.trim()
        ? found('aggregation', `--${first}`)
        : undefined,
  },
  {
    says: unservedReview,
    // Such a server continues: a fatal error is the reason for which it exits.
    cause: ({ first = '', pod, container, facts }) =>
      cleanLines(logOf(pod, container, facts)).some((one) => isFatal(one) && !unservedReview.test(one))
        ? undefined
        : found('review', reviewOf(first)),
  },
  {
    // A program that gave up before it was ready, and waited for no other server.
    says: /^(?!.*(?:\bdial |https?:\/\/|\blookup )).*(?:\btime[d ]*out\b.*\b(?:register|registration|cache|sync|informer|discover)|\b(?:cache|informer|discover)\w*\b.*\btime[d ]*out\b)/i,
    cause: ({ line, pod, container, facts }) => {
      const log = logOf(pod, container, facts);
      // A wait of a few seconds, which is usual, is no reason for a time limit.
      const isLong = /(?:Waited for |delay=")(?:\d+m(?!s)|\d{2,}(?:\.\d+)?s)/.test(
        throttledRequest(log)?.line ?? '',
      );
      if (!isLong || exitReason(log)?.trim() !== line.trim()) return undefined;
      // An error of the API server delays a cache as well.
      return /\bfailed to (?:list|watch)\b/i.test(log)
        ? undefined
        : found('throttled', brief(messageOfLine(line)));
    },
  },
];

/** Lines of a log that can name the cause: an error, and one that led to it. */
const mostLines = 3;

/** The reason in the log of a Pod for which it does not serve; undefined if no line names a known one. */
export function loggedCause(
  pod: Pod,
  facts: LogFacts,
): (LoggedCause & { readonly container: string }) | undefined {
  return firstResult(pod.spec.containers, ({ name: container }) => {
    const log = logOf(pod, container, facts);
    const lines = [...lastLogLines(log, 1), ...relevantLogLines(log, mostLines).toReversed()];
    const logged = firstResult(lines, (line) =>
      firstResult(readers, (reader) => causeIn({ line, pod, container, facts }, reader)),
    );
    return logged && { ...logged, container };
  });
}
