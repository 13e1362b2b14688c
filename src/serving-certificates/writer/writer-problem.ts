import { trustOf } from '../../apiserver/certificate/anchors.ts';
import { firstResult } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { secondsSince } from '../../basics/time.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { holdsNoCertificate } from '../../facts/objects/certificate-secret.ts';
import { isDenial } from '../../facts/rbac-denial.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { denialEvidence } from '../../facts/workloads/pod-logs.ts';
import { isPodReady, startupSeconds } from '../../facts/workloads/pod-state.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { writerPods } from '../../facts/workloads/workloads.ts';
import { requestedInjector } from '../../products/ca-injectors.ts';
import { isWrittenByJob } from '../../products/writers.ts';
import { brokenInjection } from '../broken-injection.ts';
import { knownChains } from '../chains.ts';
import { isOfOtherAuthority } from '../missing-link.ts';
import { servingSecrets } from '../serving-secret.ts';
import { declaredOther, restorerProblem } from './declared-owner.ts';
import { jobProblem, jobsFor, orderProblem } from './jobs.ts';
import { leaderProblem } from './leader.ts';
import { nameProblem } from './misnamed.ts';
import { createsOwn, isWriterOf, stoppedWriterProblem, writingWorkloads } from './stopped.ts';
import { aboutCertificates } from './template-texts.ts';
import { type WriterFacts, type WriterProblem, writerFacts } from './writer-facts.ts';

/** Secrets that do not exist, and for which Pods of the backend wait. */
const missing = (callout: Callout, facts: WriterFacts): readonly string[] =>
  knownPods(callout, facts)
    .filter(({ status }) => status.phase === 'Pending')
    .flatMap((pod) => podContext(pod, facts).missingSecrets);

/** True if a Pod has had the time to start. */
const isLate = (callout: Callout, facts: WriterFacts): boolean =>
  knownPods(callout, facts).some(
    ({ metadata }) =>
      (secondsSince(metadata.creationTimestamp, facts.takenAt) ?? startupSeconds) >= startupSeconds,
  );

/** Mounted Secrets without a certificate, if there are Pods and none is Ready. */
function unfilled(callout: Callout, facts: WriterFacts): readonly string[] {
  const pods = knownPods(callout, facts);
  if (pods.length === 0 || pods.some(isPodReady)) return [];
  return servingSecrets(callout, facts).flatMap(({ kind, name, source, secret }) =>
    kind === 'Secret' && source !== undefined && secret !== undefined && holdsNoCertificate(secret)
      ? [name]
      : [],
  );
}

/**
 * The resources that must be written so that the API server trusts a server; an operator with leader election
 * also needs its Lease.
 */
const trusted =
  /^(secrets|leases\.coordination\.k8s\.io|(mutating|validating)webhookconfigurations\.admissionregistration\.k8s\.io|customresourcedefinitions\.apiextensions\.k8s\.io|apiservices\.apiregistration\.k8s\.io)$/;

/**
 * Reports a Pod whose log has an error about a right that it needs for certificate, caBundle or Lease.
 *
 * @param isUntrusted true if the caBundle is at fault: a missing permission that no log has explains only that.
 */
function missingRightProblem(
  callout: Callout,
  facts: WriterFacts,
  { secrets, isUntrusted }: { readonly secrets: readonly string[]; readonly isUntrusted: () => boolean },
): WriterProblem | undefined {
  const pods = new Set(writerPods(callout, facts).map(({ metadata }) => metadata.name));
  const denials = facts.rbacDenials.getIfKnown(callout.client.service?.namespace ?? '') ?? [];
  const stored = servingSecrets(callout, facts).map(({ name }) => name);
  const isOfCertificate = (name = ''): boolean => stored.includes(name) || aboutCertificates.test(name);
  const [found, ...others] = denials
    .filter(isDenial)
    .filter(
      ({ pod, line, forbidden: { resource, name } }) =>
        pods.has(pod.name) &&
        trusted.test(resource) &&
        (line !== '' || isUntrusted()) &&
        (resource !== 'secrets' || secrets.length > 0 || isOfCertificate(name)),
    );
  if (found === undefined) return undefined;
  const { account, verb, resource, namespace } = found.forbidden;
  return {
    why: 'forbidden',
    writer: `ServiceAccount ${account}`,
    detail: `${verb} ${resource.split('.')[0]} ${namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`}`,
    evidence: denialEvidence(found),
    forbidden: [found.forbidden, ...others.map(({ forbidden }) => forbidden)],
  };
}

/** Reports a stopped writer while the Pods still start: only one that certainly is of the callout. */
function earlyProblem(
  callout: Callout,
  facts: WriterFacts,
  secrets: readonly string[],
): WriterProblem | undefined {
  if (knownPods(callout, facts).some(createsOwn)) return undefined;
  const writing = writingWorkloads(callout, facts, secrets);
  const certain = writing.filter((workload) => isWriterOf(workload, callout, secrets));
  const stopped = certain.length > 0 ? stoppedWriterProblem([...certain, ...writing], facts, []) : undefined;
  // Pods that start may wait for a writer that starts, too.
  return stopped?.isStopped === true ? stopped : undefined;
}

function findProblem(facts: WriterFacts, callout: Callout): WriterProblem | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const absent = missing(callout, facts);
  const unwritten = unfilled(callout, facts);
  const secrets = [...absent, ...(isLate(callout, facts) ? unwritten : [])];
  const trust = trustOf(callout, facts.version)?.kind;
  const isEmpty = trust === 'system-roots' || trust === 'refused';
  const chains = knownChains(callout, facts);
  const isRejected = chains.some(({ verdict }) => verdict.outcome === 'rejected');
  const isOwnWriter = requestedInjector(callout.metadata) === undefined;
  if (secrets.length === 0 && !isEmpty && !isRejected) {
    return unwritten.length > 0 && isOwnWriter ? earlyProblem(callout, facts, unwritten) : undefined;
  }
  const { namespace } = callout.client.service;
  const { all: jobs, described } = jobsFor(callout, secrets, facts);
  const isOther = () => !isEmpty && chains.some((chain) => isOfOtherAuthority(facts, callout, chain));
  const direct =
    firstResult(jobs, (job) => jobProblem(job, callout, facts)) ??
    missingRightProblem(callout, facts, { secrets, isUntrusted: () => isEmpty || isOther() }) ??
    (isEmpty ? nameProblem(callout, facts) : undefined);
  if (direct !== undefined) return direct;
  // A CA injector that fails is a separate cause.
  const injection = brokenInjection(callout, facts)?.why ?? 'notInjected';
  if (injection !== 'notInjected') return undefined;
  const indirect =
    (isOwnWriter
      ? stoppedWriterProblem(writingWorkloads(callout, facts, secrets), facts, absent)
      : undefined) ??
    (isEmpty ? (restorerProblem(callout, jobs) ?? orderProblem(callout, jobs)) : undefined) ??
    (isOther() ? declaredOther(callout) : undefined) ??
    (isOwnWriter && described.length === 0 && !isWrittenByJob(callout)
      ? leaderProblem(callout, facts)
      : undefined);
  // Throws if Jobs were not read. They are not for a Secret that exists.
  if (indirect === undefined && (absent.length > 0 || isEmpty || isRejected)) facts.jobs.get(namespace);
  return indirect;
}

/**
 * Explains why a controller did not write the caBundle of a webhook or APIService, or the certificate of its
 * server, if calls or Pods fail because of that; undefined if unknown. It uses only what objects show, not
 * which product it is.
 */
export const writerProblem = derive([...writerFacts, 'takenAt'], findProblem);
