import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { type CauseKind, linkOfCause, type Symptom } from '../apiserver/sentences/call-error/cause-kind.ts';
import { errorTexts, meaningOf } from '../apiserver/sentences/call-error/error-texts.ts';
import { startOfCause } from '../apiserver/sentences/call-error/find-cause.ts';
import { parseCallError, parseErrorEnding } from '../apiserver/sentences/call-error/parse-call-error.ts';
import {
  type ComponentText,
  componentTexts,
  findComponentText,
  type KnownText,
  type TextClass,
} from '../apiserver/sentences/component-texts/component-texts.ts';
import {
  type DenialReason,
  denialReasonIn,
  refused,
} from '../apiserver/sentences/component-texts/denial-reasons.ts';
import { enforcedBy } from '../products/of-webhook.ts';
import { isOfTerminal } from './records.ts';

/** Texts about a Pod that does not run, which explain calls that find no Pod. */
const brokenPods = [
  'out-of-memory',
  'image-pull',
  'unschedulable',
  'volume-not-mounted',
  'certificate-secret-missing',
  'crash-loop',
] as const;
type BrokenPod = (typeof brokenPods)[number];

/** A recognised record of a pasted text: a failed call, or a message of a component about one. */
export type RecognisedRecord =
  | {
      readonly of: 'call';
      readonly text: string;
      readonly error: CallError;
      /** The call was for the creation of a Pod: `own` if in the namespace of the backend, `any` if unknown. */
      readonly refusedPod?: 'own' | 'other' | 'any';
      /** The request renews a Lease or the status of a node. */
      readonly isHeartbeat?: true;
      readonly reason?: DenialReason;
      /**
       * What other records show: calls to several backends end with the same error, a client connects to a server
       * and ends the TLS handshake, calls to one backend are cut and then refused, or a webhook denies several
       * requests with the same message, or a Pod of the backend is broken.
       */
      readonly context?:
        | 'several-backends'
        | 'response-timeout'
        | 'backend-replaced'
        | 'denies-several'
        | BrokenPod;
      /** A Pod is broken that may be one of the backend: of its namespace, or with a similar name. */
      readonly nearby?: BrokenPod;
      /** The record contains only the end of a call error, and names neither the API server nor a webhook. */
      readonly isFragment?: true;
    }
  | {
      readonly of: 'component';
      readonly text: string;
      readonly component: ComponentText;
      /** The call error that the message quotes; it names the webhook. */
      readonly error?: CallError;
    };

type RecognisedCall = Extract<RecognisedRecord, { readonly of: 'call' }>;

/** An error of a backend's own server describes the other end: the same wording has the opposite meaning. */
const isOfBackend = ({ kind }: ComponentText, record: string): boolean =>
  kind === 'response-not-received' || /TLS handshake error|http: panic serving/.test(record);

/** Causes of an APIService's failed check that the API server reports for an API that is not available. */
const withoutDetail: ReadonlySet<CauseKind | undefined> = new Set([undefined, 'other', 'unavailable']);

/**
 * Whether a failed call has less information than the message of a component: it has no cause, or the message
 * only quotes it. Exceptions are programs that wait, and objects that are not deleted: the call that they
 * quote is the reason.
 */
const isLessInformative = (
  { kind, cause, text }: CallError,
  component: ComponentText,
  record: string,
): boolean =>
  kind === 'internal' ||
  (kind === 'call-failure' && cause === undefined && component.link === 'tls') ||
  (kind === 'apiservice' && (withoutDetail.has(cause?.kind) || component.kind === 'api-version-not-found')) ||
  (component.class !== 'backend-log' &&
    component.link !== 'effect' &&
    component.kind !== 'apiservice-discovery-failed' &&
    record.search(component.pattern) < record.indexOf(text));

/**
 * Messages about Pods that cannot be created or bound, of clients that cannot change a workload, and of a
 * control plane that cannot start because it cannot write its own objects.
 */
const podRefused =
  /\blevel=fatal\b.*\bkube-system\b|\bFailedCreate\b|\bError creating: |\bcreate Pod \S+ in StatefulSet\b|\b(?:replica_set|daemon_controller|stateful_set|job_controller)\.go:|\b(?:deployment|daemonset|statefulset)s\.apps "[^"]+" could not be|\bBind plugin\b|\bwith kind (?:Deployment|DaemonSet|StatefulSet)\b/;
/** Writes of kube-apiserver at its own start, without which it exits: it is part of every backend. */
const ofApiServerStart = /\b(?:storage_rbac|client_ca_hook|hooks)\.go:|\bPostStartHook\b/;
/** The namespace of the workload: of an Event, logged or listed by kubectl, or of a controller's log. */
const workloadNamespace =
  /(?:Namespace:"|\bobject="|\bsync "|^)([a-z0-9-]+)(?:"|\/\S+"|\s+\S+\s+Warning\s+FailedCreate)/;

function refusedPodIn(record: string, { service }: CallError): Pick<RecognisedCall, 'refusedPod'> {
  if (ofApiServerStart.test(record)) return { refusedPod: 'own' };
  if (!podRefused.test(record)) return {};
  const namespace = workloadNamespace.exec(record)?.[1];
  if (namespace === undefined || service === undefined) return { refusedPod: 'any' };
  return { refusedPod: namespace === service.namespace ? 'own' : 'other' };
}

/** Log messages of kubelets and leaders about a failed heartbeat. */
const beats =
  /failed to (?:update|ensure|renew) (?:node )?(?:lease|lock)\b|unable to (?:register node|update node status)|error updating node status/i;

const inTime = /deadline exceeded|timeout|timed out|request canceled/i;

/** Wording of the API server, or of a component that reports its error. */
const ofApiServer =
  /webhook|admission|injector|\bconver(?:t|sion)|api ?service|aggregat|Internal error occurred/i;
/** The API server only uses TLS; "delivered" webhooks are those of a Git server or an alert manager. */
const outgoing =
  /\b(?:Post|Get|Put):? \\?"?http:\/\/|\bhttp: proxy error: |\bwebhook deliver|\b(?:post|send)(?:ing)?(?: \w+){0,4} webhook|\bwebhook\W+\w+ (?:to )?(?:post|send)|\bdeliver\w* .{0,40}\b(?:webhook|payload)|\bnotif\w* .{0,40}\bwebhook|\bwebhook(?:s? to send)? notif|\betcd\b|\bwatch stream\b|authentication handshake failed: /i;
/** Errors of any proxy or decoder, unless the record names the API server or a review. */
const ofAnyServer: ReadonlySet<Symptom | undefined> = new Set(['no-upstream', 'undecodable-answer']);
/** Suffix of the API server's response in a client: `(get pods)`. */
const ofClient = /\((?:get|list|watch|post|create|put|update|patch|delete) [\w./-]+\)/;
/** The API server stores no larger timeout of a webhook; client-go uses one in discovery. */
const longestTimeout = 30;
/** Paths that the API server requests to check the availability of an aggregated API. */
const apiRoot = /^(?:\/apis\/[^/]+\/v\d\w*)?$/;
const address = /^(?:[\d.]+|\[.*\])$/;
const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/;
/** Prose, with which no error of Go's network libraries starts. */
const sentence = /(?!(?:dial|read|write) )\b[a-z]{2,} [a-z]{2,}/i;

/** Whether a certificate was checked for a name or address that no Service has. */
const isOtherName = (cause: CallError['cause']): boolean =>
  cause?.wanted !== undefined &&
  !/\.svc\b/.test(cause.wanted) &&
  (/[a-z]/i.test(cause.wanted) || cause.names !== undefined);

/**
 * Whether another program made the failed call: the API server does not call such a URL (each call of a
 * webhook has a `timeout`), or only the end is given, and the text before it is about something else.
 */
function isOfAnother(record: string, error: CallError): boolean {
  const { kind, text, webhook, service, host, path = '', timeoutSeconds, cause } = error;
  if (kind === 'internal') return cause === undefined && !/webhook|admission/i.test(record);
  if (kind !== 'call-failure' || webhook !== undefined) return false;
  if (findComponentText(record)?.kind === 'service-called-by-pod') return true;
  if (host !== undefined && /^\/apis?\//.test(path) && !apiRoot.test(path)) return true;
  if (timeoutSeconds !== undefined) return timeoutSeconds > longestTimeout;
  if (/failed (?:calling|to call)\W+(?:admission )?webhook/i.test(text)) return false;
  if (outgoing.test(record)) return true;
  if (host !== undefined) return !address.test(host) || !apiRoot.test(path);
  if (ofAnyServer.has(cause?.symptom) && !ofApiServer.test(record)) return true;
  if (ofClient.test(record)) return true;
  if (service !== undefined && cause?.kind === 'dns') return true;
  if (ofApiServer.test(record)) return false;
  const link = cause && linkOfCause(cause.kind);
  return (
    service !== undefined ||
    isOtherName(cause) ||
    ((link === 'network' || link === 'response' || cause?.kind === 'dns' || link === 'tls') &&
      !/^Error from server .*x509/i.test(record) &&
      sentence.test(
        text
          .slice(0, startOfCause(text))
          .replace(/failed to verify certificate|x509: certificate (?:is|has)\b.*/, ''),
      ))
  );
}

/** Recognises a record; undefined if it contains no known text. */
export function recognise(record: string): RecognisedRecord | undefined {
  const component = findComponentText(record);
  const asComponent = component && { of: 'component' as const, text: record, component };
  if (asComponent !== undefined && isOfBackend(asComponent.component, record)) return asComponent;
  const parsed = parseCallError(record);
  const error = parsed && (isOfAnother(record, parsed) ? undefined : parsed);
  const reason = error?.kind === 'denial' ? denialReasonIn(record, error.message) : undefined;
  if (error !== undefined && (component === undefined || !isLessInformative(error, component, record)))
    return {
      of: 'call',
      text: error.text,
      error,
      ...refusedPodIn(record, error),
      ...(reason === undefined ? {} : { reason }),
      ...(beats.test(record) ? { isHeartbeat: true } : {}),
    };
  if (asComponent !== undefined) return error === undefined ? asComponent : { ...asComponent, error };
  const fragment = parseErrorEnding(record);
  return fragment === undefined || isOfAnother(record, fragment)
    ? undefined
    : {
        of: 'call',
        text: fragment.text,
        error: fragment,
        ...(ofApiServer.test(record) ? {} : { isFragment: true }),
      };
}

/** Score of a result, to compare two readings of a record: a known cause counts most, then names in it. */
function weightOf([found]: readonly RecognisedRecord[]): number {
  const { kind = 'internal', cause, webhook, service } = found?.error ?? {};
  const isKnown =
    // The last one is any end of a handshake.
    (found?.of === 'component' && found.component.kind !== 'handshake-failed') ||
    kinds[kind] !== undefined ||
    // Any text can be the message of a conversion webhook.
    (cause !== undefined && !/other$|^conversion-refused$/.test(cause.symptom));
  return (
    Number(found !== undefined) +
    4 * Number(isKnown) +
    Number(cause?.symptom !== 'other') +
    Number(webhook !== undefined) +
    Number(service !== undefined)
  );
}

/** Recognises a record whose lines may be wrapped: by editors between words, by terminals inside them. */
export function recogniseAll(record: string): readonly RecognisedRecord[] {
  const joined = record.replace(/\s*\n\s*/g, ' ');
  const glued = record.includes('\n') ? allIn(record.replaceAll('\n', '')) : [];
  const narrow = joined.replace(/[ \t]+/g, ' ');
  const exact = better(allIn(joined), glued, Number(isOfTerminal(record)));
  const found = narrow === joined ? exact : better(exact, allIn(narrow));
  // A sentence that a person or an editor starts with a capital letter.
  return found.length > 0
    ? found
    : allIn(narrow.replace(/^\s*[A-Z](?=[a-z0-9])/, (first) => first.toLowerCase()));
}

/** The reading of a record that shows more; the first one, if both show the same. */
const better = (
  one: readonly RecognisedRecord[],
  other: readonly RecognisedRecord[],
  ahead = 0,
): readonly RecognisedRecord[] => (weightOf(other) + ahead > weightOf(one) ? other : one);

/**
 * Recognises a record, and in a denial the failed call that it quotes: a webhook that calls the API server
 * may return that error.
 */
function allIn(record: string): readonly RecognisedRecord[] {
  const found = recognise(record);
  if (found?.of !== 'call' || found.error.kind !== 'denial') return found === undefined ? [] : [found];
  const quoted = recognise(found.error.message ?? '');
  return quoted?.error?.webhook === undefined ? [found] : [quoted, found];
}

/** Texts about consequences of another failure. */
const consequences: ReadonlySet<KnownText | undefined> = new Set([
  'lease-not-held',
  'crash-loop',
  'readiness-probe',
  'restart-probe',
  'api-unavailable',
  'apiservice-discovery-failed',
]);
/** True for a text that is a consequence of another failure, and does not show the cause. */
export const isConsequence = (found: RecognisedRecord): boolean =>
  found.of === 'component' && consequences.has(found.component.kind);

/** The backend of a call, as the text names it. */
const backendOf = ({ service, host, port }: CallError): string | undefined =>
  service === undefined ? host && `${host}:${port}` : `${service.namespace}/${service.name}:${port}`;

/** Ends of calls to a Pod that ends, and of calls after its end. */
const cutOff: ReadonlySet<CauseKind | undefined> = new Set(['connection-closed']);
const afterEnd: ReadonlySet<CauseKind | undefined> = new Set(['connection-refused', 'no-endpoints']);

/** Namespaces with the Pods of many programs. */
const manyPrograms: ReadonlySet<string | undefined> = new Set(['default', 'kube-system']);

/** What a record shows about a Pod, if one of its words is like this. */
const brokenPodOf = (others: readonly RecognisedRecord[], isMeant: (word: string) => boolean) =>
  brokenPods.find((kind) =>
    others.some(
      (one) =>
        one.of === 'component' &&
        one.component.kind === kind &&
        one.text.split(/[^\w-]+/).some((word) => isMeant(word)),
    ),
  );

/** What a record shows about a Pod or workload that has the name of the Service. */
function ownBrokenPod({ service }: CallError, others: readonly RecognisedRecord[]): BrokenPod | undefined {
  const name = service?.name.replace(/-(?:service|svc)$/, '');
  if (name === undefined) return undefined;
  return brokenPodOf(others, (word) => word === name || word.startsWith(`${name}-`));
}

/** Whether a record about a Pod with this word may be about one of the Service: `proxy-injector` of `mesh-proxy-injector`. */
const isSimilar = (word: string, { namespace, name }: NonNullable<CallError['service']>): boolean =>
  (word === namespace && !manyPrograms.has(namespace)) || (word.includes('-') && name.endsWith(`-${word}`));

/** What the other records show about this one. */
function contextOf(
  { error }: RecognisedCall,
  others: readonly RecognisedRecord[],
): RecognisedCall['context'] {
  const { kind, webhook, message, cause } = error;
  const same = others.filter((one) => one.of === 'call' && one.error.kind === kind);
  if (kind === 'denial') {
    const alike = same.filter((one) => one.error?.webhook === webhook && one.error?.message === message);
    return webhook !== undefined && alike.length > 2 ? 'denies-several' : undefined;
  }
  const broken = afterEnd.has(cause?.kind) ? ownBrokenPod(error, others) : undefined;
  if (broken !== undefined) return broken;
  const backend = backendOf(error);
  const kindsOf = same.flatMap((one) =>
    one.error && backendOf(one.error) === backend ? one.error.cause?.kind : [],
  );
  const isEither = cutOff.has(cause?.kind) || afterEnd.has(cause?.kind);
  return backend !== undefined &&
    isEither &&
    kindsOf.some((one) => cutOff.has(one)) &&
    kindsOf.some((one) => afterEnd.has(one))
    ? 'backend-replaced'
    : undefined;
}

/**
 * Marks what only several records together show. Calls to different backends that end with the same error: the
 * cause is on the network path. A timeout, and a server whose client ends handshakes, or which waits itself:
 * packets arrive there.
 */
export function withContext(found: readonly RecognisedRecord[]): readonly RecognisedRecord[] {
  const backends = new Map<string | undefined, Set<string>>();
  for (const { error } of found) {
    const backend = error && backendOf(error);
    if (backend === undefined) continue;
    backends.set(error?.cause?.symptom, (backends.get(error?.cause?.symptom) ?? new Set()).add(backend));
  }
  const isSlow = found.some(
    (one) =>
      one.of === 'component' &&
      (one.component.kind === 'handshake-ended-by-client' || one.component.kind === 'client-throttled'),
  );
  return found.map((one) => {
    if (one.of !== 'call') return one;
    const { symptom } = one.error.cause ?? {};
    if ((backends.get(symptom)?.size ?? 0) > 1) return { ...one, context: 'several-backends' };
    const context = contextOf(one, found);
    if (context !== undefined) return { ...one, context };
    if (isSlow && symptom === 'deadline') return { ...one, context: 'response-timeout' };
    const { cause, service } = one.error;
    const nearby =
      service !== undefined && afterEnd.has(cause?.kind)
        ? brokenPodOf(found, (word) => isSimilar(word, service))
        : undefined;
    return nearby === undefined ? one : { ...one, nearby };
  });
}

const classes: Partial<Record<CallError['kind'], TextClass>> = {
  denial: 'denial',
  conversion: 'conversion',
  apiservice: 'aggregated-api',
};

/** The class of a recognised text; calls that end without a response are `call-failure`. */
export const classOf = (found: RecognisedRecord): TextClass =>
  found.of === 'component' ? found.component.class : (classes[found.error.kind] ?? 'call-failure');

/** Texts without a cause. */
const kinds: Partial<Record<CallError['kind'], { readonly means: string; readonly link: string }>> = {
  denial: {
    link: 'response',
    means: `${refused} If the message names a policy, change the object or the policy; otherwise the program may be faulty.`,
  },
  'dry-run-refused': {
    link: 'registration',
    means:
      'The request is a dry run, and the webhook does not declare `sideEffects: None` or `NoneOnDryRun`.',
  },
  'match-condition': {
    link: 'registration',
    means:
      'A matchCondition of the webhook fails, so the API server refuses the request (failurePolicy: Fail).',
  },
  'timeout-504': {
    link: 'response',
    means:
      'The request exceeded its time limit. Mutating webhooks are called one after another, so their response times add up. The text names no webhook; `kubectl webhook doctor` finds those that are slow or do not respond. If there are none, etcd or the API server is slow.',
  },
};

/** The link of the chain at which the call failed; `unknown` if the text ends before that. */
export function linkOf(found: RecognisedRecord): string {
  if (found.of === 'component') return found.component.link;
  const { kind, cause } = found.error;
  return (
    kinds[kind]?.link ??
    (cause === undefined || cause.kind === 'other' ? 'unknown' : linkOfCause(cause.kind, cause.symptom))
  );
}

/** Of a call that failed open; the API server may log the same failure without this. */
export const admitted = 'The request was admitted without this webhook (failurePolicy: Ignore).';

/** The meaning, in one to four sentences. */
export function meansOf(found: RecognisedRecord): string {
  if (found.of === 'component') return found.component.means;
  const { kind, cause } = found.error;
  if (found.reason !== undefined) return found.reason.means;
  if (found.context === 'backend-replaced')
    return 'One connection to this backend was closed, and another was refused or found no endpoint. Its Pod may have ended between them, by a rollout or a crash.';
  if (found.context === 'denies-several')
    return 'The webhook refused several times with the same message. `failurePolicy` has no effect on a denial. If it refuses requests of every kind, its program or its policy is at fault.';
  if (kind === 'denial' && (found.error.message ?? '').trim() === '')
    return 'The webhook was called, responded, and refused this request without a message; `failurePolicy` has no effect on that. A response without `allowed: true` is a denial. The log of the webhook may contain the reason.';
  const known = kinds[kind]?.means;
  if (known !== undefined) return known;
  if (cause === undefined && kind !== 'internal')
    return 'The call failed. The text ends before the cause: find the complete message. Any causes below are the usual ones.';
  const meaning = cause && meaningOf(cause);
  if (meaning === undefined)
    return 'The call failed. The end of the message contains the reason, which this program does not know.';
  return [
    found.isFragment &&
      'The message does not show which program made this call. The explanation applies to the API server.',
    meaning,
    found.context === 'several-backends' &&
      'Calls to several backends fail like this: examine first what they share.',
    found.nearby !== undefined &&
      'The text also shows a Pod that does not run. If it belongs to this Service, it is the cause.',
    found.error.failedOpen && admitted,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The known texts by which checks are found: the end of the call first, then the kind of refusal. */
export function knownTextsOf(found: RecognisedRecord): readonly KnownText[] {
  if (found.of === 'component') return [found.component.kind];
  const { kind, cause } = found.error;
  if (found.reason?.kind === 'denial-by-rule') return [found.reason.kind];
  if (found.reason !== undefined) return [found.reason.kind, kind];
  if (cause === undefined) return [kind === 'call-failure' || kind === 'conversion' ? 'call-cut' : kind];
  if (found.context === 'backend-replaced') return ['backend-replaced', cause.symptom, kind];
  // An aggregated API serves the webhook, or the text of an old release has no URL.
  if (cause.symptom === 'unavailable' && (found.error.service?.name ?? 'kubernetes') === 'kubernetes')
    return ['api-unavailable', cause.symptom, kind];
  if (cause.symptom === 'url-not-reached' && loopback.test(found.error.host ?? ''))
    return ['url-of-loopback', cause.symptom, kind];
  // A policy engine evaluates policies, and may ask registries, before it responds.
  const isSlow =
    cause.symptom === 'deadline' && found.text.split(/[^\w.-]+/).some((word) => enforcedBy(word));
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
 * backend is a deadlock; any other one, or a conversion without an endpoint, may be part of one. Causes that
 * affect several backends come first.
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
  if (found.of === 'component') return known;
  const { context } = found;
  const first =
    context === undefined || context === 'denies-several' || linkOf(found) === 'tls'
      ? []
      : explaining(context);
  const others = known.filter((id) => !first.includes(id));
  const near = found.nearby === undefined ? [] : explaining(found.nearby);
  const ids = [
    ...known.filter((id) => first.includes(id)),
    ...new Set([...others.slice(0, 1), ...near, ...others]),
  ];
  const { kind, cause } = found.error;
  const isUnserved = kind === 'conversion' && cause?.kind === 'no-endpoints';
  const isEnded = cause === undefined ? kind === 'call-failure' : endedByNewPods.has(cause.kind);
  const isBroken = brokenPods.some((kind) => kind === context);
  if (!isUnserved && (found.refusedPod === undefined || !isEnded || isBroken)) return ids;
  const deadlocks = explaining(isUnserved ? 'conversion-unserved' : 'pod-refused');
  // Packets that get no response are lost on the way, which is the likelier reason.
  const isFirst = found.refusedPod === 'own' || (found.refusedPod === 'any' && afterEnd.has(cause?.kind));
  const kept = found.nearby === undefined ? Number(!isFirst) : 2;
  const likelier = ids.slice(0, kept).filter((id) => !deadlocks.includes(id));
  return [...new Set([...likelier, ...deadlocks, ...ids])];
}

const words = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/\b(?!(?:error|from|server)\b)[a-z][a-z0-9]{3,}/g) ?? []);

const known: readonly { readonly says: string; readonly means: string }[] = [
  ...Object.values(errorTexts),
  ...componentTexts,
];

/** The meaning of another program's error; else the known text with most words in common, at least four. */
export function nearestTo(input: string): { readonly says: string; readonly means: string } | undefined {
  const { cause, host } = parseErrorEnding(input) ?? {};
  if (cause !== undefined && cause.kind !== 'other') {
    const { says, means } = errorTexts[cause.kind];
    return {
      says,
      means: `The message does not show whether the API server made this call${host === undefined ? '' : ` to ${host}`}. If another program made it, no webhook is involved: check the settings of that program. Otherwise: ${means}`,
    };
  }
  const given = words(input);
  const [best] = known
    .map(({ says, means }) => {
      const own = words(says);
      const common = [...own].filter((word) => given.has(word)).length;
      return { says, means, common, share: common / own.size };
    })
    .filter(({ common, share }) => common >= 4 && share >= 0.4)
    .sort((a, b) => b.share - a.share);
  return best && { says: best.says, means: best.means };
}
