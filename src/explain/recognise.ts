import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import type { CauseKind } from '../apiserver/sentences/call-error/cause-kind.ts';
import { parseCallError, parseErrorEnding } from '../apiserver/sentences/call-error/parse-call-error.ts';
import {
  type ComponentText,
  findComponentText,
} from '../apiserver/sentences/component-texts/component-texts.ts';
import { denialReasonIn } from '../apiserver/sentences/component-texts/denial-reasons.ts';
import { onOneLine } from '../basics/one-line.ts';
import { isOfAnother, ofApiServer } from './calls-of-others.ts';
import { hasOwnMeaning } from './meaning.ts';
import type { RecognisedCall, RecognisedRecord } from './recognised-record.ts';
import { isOfTerminal } from './records.ts';

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

/** Messages about Pods that cannot be created or bound, and of clients that cannot change a workload. */
const podRefused =
  /\bFailedCreate\b|\bcreating a mirror pod\b|\bError creating: |\bcreate Pod \S+ in StatefulSet\b|\b(?:replica_set|daemon_controller|stateful_set|job_controller)\.go:|\b(?:deployment|daemonset|statefulset)s\.apps "[^"]+" could not be|\bBind plugin\b|\bwith kind (?:Deployment|DaemonSet|StatefulSet)\b/;
/**
 * A program that ends because its write is refused: it may be one that the backend needs, or any client. A command-line
 * client ends with the error of its own server.
 */
const ofFatalError = /^(?!.*\brpc error\b).*(?:\blevel=fatal\b|"level":\s*"fatal"|\[FATAL\]|\bF\d{4} \d\d:)/i;
/** A program that writes there runs the cluster, and the backend needs it. */
const ofSystem = /\bkube-system\b(?!\.svc)/;
/**
 * Writes of kube-apiserver at its own start, without which it exits, and the labels of a node that k3s sets before it
 * starts the Pod network: every backend needs them. A static Pod also runs without its mirror Pod.
 */
const ofStart =
  /\b(?:storage_rbac|client_ca_hook|hooks)\.go:|\bPostStartHook\b|\bset annotations and labels on node\b|\bcontrol-plane role label\b/;
/** The namespace of the workload: of an Event, logged or listed by kubectl, or of a controller's log. */
const workloadNamespace =
  /(?:Namespace:"|\bobject="|\bsync "|^)([a-z0-9-]+)(?:"|\/\S+"|\s+\S+\s+Warning\s+FailedCreate)/;

/** The log of a program that lists its own resource: another client has the kind of its own. */
const ofOwnList =
  /\b[Ff]ailed to (?:list|watch) \*v\w+\.(\w+): .*?\bconversion webhook for \S+, Kind=\1 failed\b/;

/** A client's request for an object that is not a Pod: without it, the Pods of the backend can start. */
const ofClientRequest =
  /\berror when (?:creating|applying patch|patching|replacing|updating)\b|\bcannot patch "|\b(?:INSTALLATION|UPGRADE) FAILED\b|\bfailed to create resource\b|\bfailed (?:pre|post)-(?:install|upgrade)\b|\bdry-run failed\b|\bhelm_release\./;

function refusedPodIn(record: string, { service, cause }: CallError): Pick<RecognisedCall, 'refusedPod'> {
  if (cause?.kind === 'no-endpoints' && ofOwnList.test(record)) return { refusedPod: 'own' };
  if (ofStart.test(record)) return { refusedPod: 'own' };
  if (ofFatalError.test(record)) {
    // A server returned 404, so its Pod runs.
    if (cause?.kind === 'path-not-found') return {};
    return { refusedPod: ofSystem.test(record) ? 'own' : 'other' };
  }
  if (!podRefused.test(record)) return {};
  const namespace = workloadNamespace.exec(record)?.[1];
  if (namespace === undefined || service === undefined) return { refusedPod: 'any' };
  return { refusedPod: namespace === service.namespace ? 'own' : 'other' };
}

/** Log messages of kubelets and leaders about a failed heartbeat. */
export const beats =
  /failed to (?:update|ensure|renew) (?:node )?(?:lease|lock)\b|unable to (?:register node|update node status)|error updating node status/i;

/** Signs that an object is one of the first after an installation, and not of a program that worked before. */
const ofInstallation = /issuer|\bhelm\b|INSTALLATION FAILED/i;

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
      ...(ofClientRequest.test(record) ? { isOfClient: true } : {}),
      ...(record.includes('error when creating') && ofInstallation.test(record) ? { isCreation: true } : {}),
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
    hasOwnMeaning(kind) ||
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
  const joined = onOneLine(record);
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
