import { forbiddenIn } from '../../apiserver/sentences/logs/forbidden-request.ts';
import { relevantLogLines } from '../../apiserver/sentences/logs/log-lines.ts';
import { newestFirst, secondsSince } from '../../basics/time.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { refOf, refText } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Job } from '../../facts/objects/pod-controller.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { logOf } from '../../facts/workloads/pod-logs.ts';
import { conditionOf, podState } from '../../facts/workloads/pod-state.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { aboutBundles, aboutCertificates, containsName, templateTexts } from './template-texts.ts';
import type { WriterFacts, WriterProblem } from './writer-facts.ts';

/** The Jobs of a callout. */
interface WriterJobs {
  /** Those that write its configuration, then those that create the certificate of its server. */
  readonly all: readonly Job[];
  /** Those whose templates name the object that they write. */
  readonly described: readonly Job[];
}

/** What a Job does by its name: `guard-ca-sync`, `guard-certgen`, `guard-create-cert`, not `guard-cert-check`. */
const creates = /(?:-|cert)(?:sync|create|patch|gen|generat(?:e|or)|bootstrap)(?:-|$)/i;

/** Words of commands that create an object: `./gen-secret.sh`, not `kubectl wait --for=create`. */
const creating =
  /(?<!--for[= ])\bcreat|\bgen(?:erat|cert|_|\b)|\b(?:patch|openssl|bootstrap|rotat|renew)|certgen/i;

/** A Job of a CronJob may only check. */
const isScheduled = ({ metadata: { ownerReferences } }: Job): boolean =>
  ownerReferences?.some(({ kind }) => kind === 'CronJob') === true;

/** True for a Job that creates a certificate, which a chart names after its Service. */
function isNamedAfter(service: string, job: Job): boolean {
  const { name } = job.metadata;
  const rest = name.startsWith(`${service}-`) ? name.slice(service.length) : '';
  return aboutCertificates.test(rest) && creates.test(rest) && !isScheduled(job);
}

/** The newest Event about a Job: why the API server refuses its Pods. */
const eventOf = ({ metadata }: Job, facts: WriterFacts): string | undefined =>
  facts.events
    .getIfKnown(metadata.namespace ?? '')
    ?.find(({ involvedObject: { kind, name } }) => kind === 'Job' && name === metadata.name)?.message;

/** Whether the Pods of a Job are refused because calls of this very webhook fail. */
const isRefusedBy = ({ webhook }: Callout, job: Job, facts: WriterFacts): boolean =>
  (job.status?.active ?? 0) === 0 &&
  eventOf(job, facts)?.includes(`failed calling webhook "${webhook}"`) === true;

/** Returns the Jobs that write a configuration, or create the certificate of its server. */
export function jobsFor(callout: Callout, secrets: readonly string[], facts: WriterFacts): WriterJobs {
  const jobs = facts.jobs.getIfKnown(callout.client.service?.namespace ?? '') ?? [];
  const { name = '', namespace = '' } = callout.client.service ?? {};
  const texts = jobs.map((job) => ({ job, words: templateTexts(job) }));
  const patching = texts.filter(
    ({ words }) =>
      containsName(words, callout.configuration) && words.some((word) => aboutBundles.test(word)),
  );
  const making = texts.filter(
    ({ job, words }) =>
      (!isScheduled(job) &&
        creating.test(words.join(' ')) &&
        secrets.some((secret) => containsName(words, secret))) ||
      (words.some((word) => aboutCertificates.test(word)) &&
        [name, `${name}.${namespace}.svc`].some((one) => containsName(words, one))),
  );
  const described = [...patching, ...making].map(({ job }) => job);
  // Of the same product: `katib-cert-generator` for Service katib-controller.
  const [product = ''] = name.split('-');
  const refused = jobs.filter((job) => isNamedAfter(product, job) && isRefusedBy(callout, job, facts));
  return {
    all: [...new Set([...described, ...jobs.filter((job) => isNamedAfter(name, job)), ...refused])],
    described,
  };
}

/** Returns the line of a log of the Pod that best explains why it failed. */
const loggedReason = (pod: Pod, facts: WriterFacts): string | undefined =>
  pod.spec.containers.flatMap(({ name }) => relevantLogLines(logOf(pod, name, facts), 1))[0];

/** Returns a Pod of the Job that is stuck or has failed, and its error. */
function stuckPod({ metadata }: Job, facts: WriterFacts): { pod: Pod; detail: string } | undefined {
  const { namespace = '', name } = metadata;
  const own = (facts.namespacePods.getIfKnown(namespace) ?? []).filter(({ metadata: { ownerReferences } }) =>
    ownerReferences?.some((owner) => owner.kind === 'Job' && owner.name === name),
  );
  const logged = own.flatMap((pod) => {
    const detail = loggedReason(pod, facts);
    return detail === undefined ? [] : [{ pod, detail }];
  });
  const waiting = own.flatMap((pod) => {
    const { state, reason, text } = podState(pod, podContext(pod, facts));
    return state === 'ready' || (reason ?? text) === undefined
      ? []
      : [{ pod, detail: [reason, text].filter(Boolean).join(': ') }];
  });
  return [...logged, ...waiting].at(0);
}

/** The error in short: of a missing permission, the verb, the resource, and a namespace other than that of the Job. */
function inShort(detail: string, home: string | undefined): string {
  const forbidden = forbiddenIn(detail);
  if (forbidden === undefined) return brief(detail);
  const { account, verb, resource, namespace = home } = forbidden;
  const where = namespace === home ? '' : ` in namespace ${namespace}`;
  return `ServiceAccount ${account} cannot ${verb} ${resource.split('.')[0]}${where}`;
}

/** The namespace in which a program works, by its argument: `--host-namespace=shop`, or without `=` in the next word. */
const ofNamespace = /^--?(?:host-|webhook-)?namespace(?:=(?<value>.*))?$/s;

/** True if an argument of a Job names the namespace of a forbidden request, and that is not its own. */
function worksElsewhere({ metadata, spec }: Job, error: string): boolean {
  const { namespace } = forbiddenIn(error) ?? {};
  const words = spec.template.spec.containers.flatMap(({ command = [], args = [] }) => [...command, ...args]);
  const named = words.flatMap((word, at) => {
    const found = ofNamespace.exec(word);
    return found === null ? [] : [found.groups?.value ?? words[at + 1]];
  });
  return namespace !== undefined && namespace !== metadata.namespace && named.includes(namespace);
}

/** Errors for which only a change of the Job helps, or an object that it needs: of the kernel, the kubelet and the API server. */
const causes = [
  ['jobImage', /exec format error/],
  ['jobPull', /^(?:ErrImage|ImagePull|InvalidImageName)|failed to get image /],
  ['jobRunsAsRoot', /image will run as root|image has non-numeric user/],
  [
    'jobDenied',
    /unable to validate against any (?:security context constraint|pod security policy)|PodSecurityPolicy: unable to admit pod|violates PodSecurity "|(?:exceeded|failed) quota: |(?:maximum|minimum) \S+ usage per (?:Container|Pod) is/,
  ],
  ['jobAccount', /serviceaccount "(?<missing>[^"]+)" not found/],
  // Also of a Role with more permissions than the ServiceAccount has, and in a sentence that is cut.
  ['jobForbidden', /is forbidden: User \\*"system:serviceaccount:/i],
  // client-go, of a request to the API server; the API server has the same error of its calls to webhooks.
  [
    'jobNetwork',
    /^(?!.*failed calling webhook).*"https:\/\/(?:[\d.]+|\[[\da-f:]+\]|kubernetes\.default[.\w]*)(?::\d+)?\/(?:api\/v1|apis)\/[^"]*": (?:dial tcp \S+: (?:i\/o timeout|connect: )|net\/http: TLS handshake timeout|context deadline)/s,
  ],
] as const;

/** The problem of a Job that has not succeeded, by its error, or by `otherwise`. */
function problemOf(
  job: Job,
  otherwise: 'jobFailed' | 'jobWaits',
  error: string,
  evidence: readonly Evidence[],
): WriterProblem {
  const cause = causes.find(([, shown]) => shown.test(error));
  const missing = cause?.[1].exec(error)?.groups?.missing;
  const { metadata } = job;
  return {
    why: worksElsewhere(job, error) ? 'jobElsewhere' : (cause?.[0] ?? otherwise),
    writer: refText(refOf('Job', metadata)),
    detail: missing ?? inShort(error, metadata.namespace),
    evidence,
    job: metadata.name,
    missing,
  };
}

/** Seconds after which a Job is late that has not succeeded, and of which no Pod has failed or was refused. */
const graceSeconds = 60;

/** Why a Job has not written the certificate or caBundle; undefined if it succeeded, or may still do so. */
export function jobProblem(job: Job, callout: Callout, facts: WriterFacts): WriterProblem | undefined {
  const { metadata, status = {}, spec } = job;
  const object = refOf('Job', metadata);
  const stuck = stuckPod(job, facts);
  const ofPod = stuck === undefined ? [] : [{ object: refOfPod(stuck.pod), value: stuck.detail }];
  const failed = conditionOf(status.conditions, 'Failed');
  if (failed?.status === 'True') {
    const condition = failed.message ?? failed.reason ?? 'no reason given';
    const value = `${failed.status} ${failed.reason ?? ''}: ${condition}`;
    const evidence = [{ object, field: 'status.conditions[Failed]', value }, ...ofPod];
    return problemOf(job, 'jobFailed', stuck?.detail ?? condition, evidence);
  }
  if (status.completionTime !== undefined || (status.succeeded ?? 0) > 0) return undefined;
  const own = eventOf(job, facts);
  // An Event may be of before the Pod that exists.
  if (own !== undefined && stuck === undefined && isRefusedBy(callout, job, facts)) {
    const evidence = [{ object, field: 'events', value: own }];
    return { why: 'jobRefused', writer: refText(object), evidence, job: metadata.name };
  }
  const age = secondsSince(metadata.creationTimestamp, facts.takenAt) ?? 0;
  const isRefused = own !== undefined && (status.active ?? 0) === 0;
  const isHeld = isRefused || spec.suspend === true;
  if ((status.failed ?? 0) === 0 && age < graceSeconds && !isHeld) return undefined;
  const detail =
    spec.suspend === true
      ? 'it is suspended'
      : (stuck?.detail ?? own ?? 'none of its Pods has succeeded yet');
  const evidence = [{ object, field: 'status.succeeded', value: String(status.succeeded ?? 0) }, ...ofPod];
  return problemOf(job, 'jobWaits', detail, evidence);
}

/** Reports a Job that patched a configuration before that was recreated. */
export function orderProblem({ ref, metadata }: Callout, jobs: readonly Job[]): WriterProblem | undefined {
  const [last] = newestFirst(jobs, ({ status }) => status?.completionTime);
  const at = last?.status?.completionTime;
  const made = metadata.creationTimestamp;
  if (last === undefined || at === undefined || made === undefined || made <= at) return undefined;
  return {
    why: 'jobTooEarly',
    writer: refText(refOf('Job', last.metadata)),
    job: last.metadata.name,
    detail: at,
    evidence: [
      { object: refOf('Job', last.metadata), field: 'status.completionTime', value: at },
      { object: ref, field: 'metadata.creationTimestamp', value: made },
    ],
  };
}
