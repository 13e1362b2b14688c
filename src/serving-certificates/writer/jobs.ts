import type { Callout } from '../../facts/callout.ts';
import { refOf, refText } from '../../facts/object-ref.ts';
import type { Job } from '../../facts/objects/job.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { podContext } from '../../facts/pod-context.ts';
import { conditionOf, podState } from '../../facts/pod-state.ts';
import { secondsSince } from '../../facts/seconds.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import type { WriterFacts, WriterTrouble } from './trouble.ts';
import { aboutBundles, aboutCertificates, holds, wordsOf } from './words.ts';

/**
 * Returns the Jobs that write a configuration, or create the certificate of its server; those that write it
 * first.
 */
export function jobsFor(callout: Callout, secrets: readonly string[], jobs: readonly Job[]): readonly Job[] {
  const { name = '', namespace = '' } = callout.client.service ?? {};
  const described = jobs.map((job) => ({ job, words: wordsOf(job) }));
  const patching = described.filter(
    ({ words }) => holds(words, callout.configuration) && words.some((word) => aboutBundles.test(word)),
  );
  const making = described.filter(
    ({ words }) =>
      words.some((word) => aboutCertificates.test(word)) &&
      [...secrets, `${name}.${namespace}.svc`].some((one) => holds(words, one)),
  );
  return [...new Set([...patching, ...making].map(({ job }) => job))];
}

/** Returns a Pod of the Job that is stuck, and its error. */
function stuckPod({ metadata }: Job, facts: WriterFacts): { pod: Pod; said: string } | undefined {
  const { namespace = '', name } = metadata;
  for (const pod of facts.namespacePods.getIfKnown(namespace) ?? []) {
    if (!pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Job' && owner.name === name)) continue;
    const { state, reason, text } = podState(pod, podContext(pod, facts));
    if (state !== 'ready' && (reason ?? text) !== undefined)
      return { pod, said: [reason, text].filter(Boolean).join(': ') };
  }
  return undefined;
}

/** Seconds after which a Job that has not succeeded is late. */
const patience = 60;

/**
 * Why a Job has not written the certificate or the caBundle; undefined if it succeeded, or may still succeed.
 */
export function troubleOfJob(job: Job, facts: WriterFacts): WriterTrouble | undefined {
  const { metadata, status = {}, spec } = job;
  const object = refOf('Job', metadata);
  const writer = refText(object);
  const failed = conditionOf(status.conditions, 'Failed');
  if (failed?.status === 'True') {
    const said = failed.message ?? failed.reason ?? 'no reason given';
    const value = `${failed.status} ${failed.reason ?? ''}: ${said}`;
    const evidence = [{ object, field: 'status.conditions[Failed]', value }];
    return { why: 'jobFailed', writer, said: brief(said), evidence, job: metadata.name };
  }
  if (status.completionTime !== undefined || (status.succeeded ?? 0) > 0) return undefined;
  if ((secondsSince(metadata.creationTimestamp, facts.takenAt) ?? 0) < patience) return undefined;
  const stuck = stuckPod(job, facts);
  const events = facts.events.getIfKnown(metadata.namespace ?? '') ?? [];
  const own = events.find(
    ({ involvedObject: { kind, name } }) => kind === 'Job' && name === metadata.name,
  )?.message;
  const said = spec.suspend === true ? 'it is suspended' : (stuck?.said ?? own ?? 'it has not succeeded yet');
  const evidence = [
    { object, field: 'status.succeeded', value: String(status.succeeded ?? 0) },
    ...(stuck === undefined ? [] : [{ object: refOfPod(stuck.pod), value: stuck.said }]),
  ];
  return { why: 'jobWaits', writer, said: brief(said), evidence, job: metadata.name };
}

/** Reports a Job that patched a configuration before that was recreated. */
export function troubleOfOrder({ ref, metadata }: Callout, jobs: readonly Job[]): WriterTrouble | undefined {
  const done = jobs.filter(({ status }) => status?.completionTime !== undefined);
  const last = done.sort((a, b) =>
    (b.status?.completionTime ?? '').localeCompare(a.status?.completionTime ?? ''),
  )[0];
  const at = last?.status?.completionTime;
  const made = metadata.creationTimestamp;
  if (last === undefined || at === undefined || made === undefined || made <= at) return undefined;
  return {
    why: 'jobTooEarly',
    writer: refText(refOf('Job', last.metadata)),
    job: last.metadata.name,
    said: at,
    evidence: [
      { object: refOf('Job', last.metadata), field: 'status.completionTime', value: at },
      { object: ref, field: 'metadata.creationTimestamp', value: made },
    ],
  };
}
