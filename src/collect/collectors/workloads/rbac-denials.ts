import { isHeld } from '../../../apiserver/held-pods/placeholder-scheduler.ts';
import { forbiddenIn, missingConfigurationIn } from '../../../apiserver/sentences/logs/forbidden-request.ts';
import { cleanLines } from '../../../apiserver/sentences/logs/log-lines.ts';
import { defined } from '../../../basics/collections.ts';
import { type Callout, calloutId, isAdmission, isServiceBacked } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Service } from '../../../facts/objects/service.ts';
import {
  accountOf,
  isDenial,
  type MissingConfiguration,
  type RbacDenial,
} from '../../../facts/rbac-denial.ts';
import { podLogs, resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { containerStatuses } from '../../../facts/workloads/container-crash.ts';
import { logLines } from '../../../facts/workloads/pod-logs.ts';
import { labelsText, refOfPod, writerPods } from '../../../facts/workloads/workloads.ts';
import { requestedInjector } from '../../../products/ca-injectors.ts';
import { ownInjector } from '../../../products/writers.ts';
import { type Attempts, isRead } from '../../attempts.ts';
import { type Access, defineCollector, eachKey, type ReadOptions } from '../../collector.ts';
import { isStillForbidden } from '../../probes/api-server/subject-access.ts';
import { answersNone, deniesAll, looksHealthyToProbes, refusesAll } from '../../probes/looks-healthy.ts';
import { type BackendFacts, backendFacts, isDistrusted, podsOf } from '../../suspect-backends.ts';
import { certificatesInQuestion } from '../../suspect-certificates.ts';
import { mayHoldPods, waitingPods } from './pending-pods.ts';

/**
 * The number of lines from the end of a log: a controller without a permission retries and logs the error
 * again, each time with a stack trace.
 */
const tailLines = 200;
const atMost = 3;

/** The latest line for each missing permission and configuration. */
function denialsIn(
  lines: readonly { readonly pod: Pod; readonly container: string; readonly line: string }[],
): readonly (RbacDenial | MissingConfiguration)[] {
  const denials = new Map<string, RbacDenial | MissingConfiguration>();
  for (const { pod, container, line } of lines.toReversed()) {
    const forbidden = forbiddenIn(line, accountOf(pod));
    const missing = missingConfigurationIn(line);
    const permission = forbidden === undefined ? missing : JSON.stringify(forbidden);
    if (permission === undefined || denials.has(permission)) continue;
    const logged = { pod: refOfPod(pod), container, line: line.trim() };
    denials.set(permission, {
      ...logged,
      ...(forbidden === undefined ? { missing: permission } : { forbidden }),
    });
  }
  return [...denials.values()];
}

/** The denials in the logs of Pods. `sinceSeconds`: maximum age of a line. `extra`: a failure is not recorded. */
async function denialsOf(
  read: Attempts,
  pods: readonly Pod[],
  { sinceSeconds, extra }: { readonly sinceSeconds: number | undefined; readonly extra: boolean },
) {
  const containers = pods.flatMap((pod) => pod.spec.containers.map(({ name }) => ({ pod, name })));
  return Promise.all(
    containers.slice(0, atMost).map(async ({ pod, name }) => {
      const { namespace } = pod.metadata;
      const reading = await read.text(podLogs, pod.metadata.name, {
        ...(namespace === undefined ? {} : { namespace }),
        extra,
        query: {
          container: name,
          tailLines,
          limitBytes: 65_536,
          ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
        },
      });
      if (!isRead(reading)) return reading;
      return {
        value: denialsIn(cleanLines(reading.value).map((line) => ({ pod, container: name, line }))),
      };
    }),
  );
}

/** The denials in the log lines that another collector kept of the Pods of a Service. */
const keptDenials = (
  key: string,
  { pods, logs }: Pick<Facts, 'pods' | 'logs'>,
): readonly (RbacDenial | MissingConfiguration)[] =>
  denialsIn(
    (pods.getIfKnown(key) ?? []).flatMap((pod) => logLines(pod, containerStatuses(pod), { logs })),
  ).filter(isDenial);

/** The number of missing permissions of each backend for which a review is sent. */
const mostReviews = 8;

/** What is still denied: a permission may have been added since the line was logged. */
async function stillDenied(
  access: Access,
  logged: readonly (RbacDenial | MissingConfiguration)[],
  { probe }: ReadOptions,
): Promise<readonly (RbacDenial | MissingConfiguration)[]> {
  const denials = logged.filter(isDenial).slice(0, mostReviews);
  if (denials.length === 0 || probe?.level !== 'review') return logged;
  const prober = await access.prober();
  const answers = new Map(
    await Promise.all(
      denials.map(async (denial) => [denial, await isStillForbidden(prober, denial.forbidden)] as const),
    ),
  );
  return logged.flatMap((one) => {
    const isForbidden = isDenial(one) ? answers.get(one) : undefined;
    if (isForbidden === false) return [];
    return isForbidden === undefined ? one : { ...one, confirmed: true };
  });
}

/** Seconds of the log to read: controllers retry within a minute, and an older error may be fixed. */
const denialWindow = 600;

/**
 * Webhooks whose Pods all deny an object, do not respond to it, or refuse connections: they may be unable to
 * read the objects that they need.
 */
const denying = (
  { probes, samples }: Pick<Facts, 'probes' | 'samples'>,
  { chosen }: ReadOptions,
): readonly Callout[] =>
  chosen.filter((callout) => {
    const id = calloutId(callout);
    const results = [probes.getIfKnown(id), ...(samples.getIfKnown(id) ?? []).map((sample) => sample.probes)];
    return results.some(
      (one) => one !== undefined && (deniesAll(one) || answersNone(one) || refusesAll(one)),
    );
  });

/** Webhooks that may have held Pods in Pending: they usually also release them. Empty if no Pod is held. */
const holdingWebhooks = (facts: Pick<Facts, 'pendingPods'>, { chosen }: ReadOptions): readonly Callout[] =>
  waitingPods(facts).some(isHeld) ? chosen.filter(mayHoldPods) : [];

/** The number of APIServices whose logs are read if they look healthy and are not named. */
const mostApis = 3;

/** APIServices, which look healthy and log the reviews of users that they may not send. */
const apis = ({ chosen, examineAll, topics }: ReadOptions): readonly Callout[] => {
  const all = topics.includes('failures') ? chosen.filter(({ kind }) => kind === 'aggregated-api') : [];
  return examineAll ? all : all.slice(0, mostApis);
};

/** The Pods of a Service that looks healthy: no other collector reads them. Empty if that is not permitted. */
async function podsBehind(read: Attempts, service: Service | undefined): Promise<readonly Pod[]> {
  const { selector = {} } = service?.spec ?? {};
  if (service === undefined || Object.keys(selector).length === 0) return [];
  const reading = await read.list<Pod>(resources.Pod, {
    ...defined({ namespace: service.metadata.namespace }),
    query: { labelSelector: labelsText(selector) },
    refusable: true,
  });
  return isRead(reading) ? reading.value : [];
}

/** Named webhooks that respond, and may lack the objects that they read. */
const responding = ({ probes }: Pick<Facts, 'probes'>, { chosen, examineAll }: ReadOptions) =>
  chosen.filter((callout) => {
    const probed = probes.getIfKnown(calloutId(callout));
    return examineAll && probed !== undefined && looksHealthyToProbes(probed);
  });

const keysOf = (callouts: readonly Callout[]): readonly string[] =>
  callouts.filter(isServiceBacked).map(({ client }) => keyOf(client.service));

/** The Services whose Pods' logs are searched. */
const examinedKeys = (
  facts: Pick<Facts, 'pendingPods' | 'probes' | 'samples' | 'pods'>,
  readOptions: ReadOptions,
): readonly string[] =>
  keysOf([
    ...holdingWebhooks(facts, readOptions),
    ...denying(facts, readOptions),
    ...responding(facts, readOptions),
  ]).filter((key) => facts.pods.known(key));

/** Pods in the namespace that may write its certificates. */
const writers = (
  namespace: string,
  facts: Pick<Facts, 'pods' | 'namespacePods'>,
  { chosen }: ReadOptions,
): readonly Pod[] => [
  ...new Set(
    chosen
      .filter(({ client }) => client.service?.namespace === namespace)
      .flatMap((callout) => writerPods(callout, facts)),
  ),
];

/** The resources of webhook configurations. */
const registrations = {
  validating: 'validatingwebhookconfigurations.admissionregistration.k8s.io',
  mutating: 'mutatingwebhookconfigurations.admissionregistration.k8s.io',
};

/** The maximum number of ServiceAccounts for which reviews are sent. */
const mostAccounts = 4;

/**
 * A caBundle that a program of this namespace must write, as its product is known to, and cannot: it may read the
 * configuration, and no ServiceAccount of its Pods may update or patch it. istiod logs no error of that. A program that may
 * not read it either logs that.
 *
 * @param pods those that can be of the program.
 * @param all the Pods of the namespace.
 */
async function unloggedDenials(
  access: Access,
  pods: readonly Pod[],
  all: readonly Pod[],
  callout: Callout | undefined,
): Promise<readonly RbacDenial[]> {
  const [own] = pods;
  const accounts = [...new Set(all.map(accountOf))];
  if (own === undefined || callout === undefined || !isAdmission(callout)) return [];
  if (accounts.length > mostAccounts) return [];
  const prober = await access.prober();
  const resource = registrations[callout.kind];
  const request = { resource, namespace: undefined, name: callout.configuration };
  const forbidden = { ...request, account: accountOf(own), verb: 'update' };
  const [reading, ...writing] = await Promise.all([
    isStillForbidden(prober, { ...forbidden, verb: 'get' }),
    ...accounts.flatMap((account) =>
      ['update', 'patch'].map((verb) => isStillForbidden(prober, { ...request, account, verb })),
    ),
  ]);
  if (reading !== false || !writing.every((isForbidden) => isForbidden === true)) return [];
  const container = own.spec.containers[0]?.name ?? '';
  return [{ pod: refOfPod(own), container, line: '', forbidden, confirmed: true }];
}

/** True if a process of the product, which is no Job, sets the caBundle. */
const writesAtRuntime = (callout: Callout): boolean => {
  const writer = ownInjector(callout);
  return writer !== undefined && writer.isJob !== true;
};

/** A webhook of a namespace that the API server does not trust, if the program behind it writes its caBundle. */
const writesOwnBundle = (
  namespace: string,
  facts: BackendFacts,
  { chosen, probe }: ReadOptions,
): Callout | undefined =>
  probe?.level !== 'review'
    ? undefined
    : chosen.find(
        (callout) =>
          callout.client.service?.namespace === namespace &&
          requestedInjector(callout.metadata) === undefined &&
          writesAtRuntime(callout) &&
          isDistrusted(callout, facts),
      );

/**
 * Collects permissions that Pods lack, and webhook configurations that they do not find, from their own logs.
 * By Service: Pods of webhooks that may have held other Pods, deny requests, or do not respond. By namespace:
 * Pods that should have written a certificate or a caBundle. Keeps the latest such lines of a few containers
 * each.
 */
export const rbacDenials = defineCollector({
  fact: 'rbacDenials',
  needs: [...backendFacts, 'pods', 'namespacePods', 'pendingPods', 'samples', 'logs'],
  permissions: [
    toRead(resources.Pod, ['list'], 'backends', 'the Pods of a backend and their status'),
    toRead(podLogs, ['get'], 'backends', 'forbidden requests of the controller that releases held Pods'),
  ],
  atMost: 5,
  otherwise: 'logs of backends that are not named, hold no Pods and do not deny the test object',
  wants: (facts, readOptions) => [
    ...examinedKeys(facts, readOptions),
    ...[...facts.pods.entries()].flatMap(([key]) => (keptDenials(key, facts).length > 0 ? [key] : [])),
    ...keysOf(apis(readOptions)),
    ...certificatesInQuestion(facts, readOptions).filter((namespace) => facts.namespacePods.known(namespace)),
  ],
  read(access, keys, facts, readOptions) {
    const held = keysOf(holdingWebhooks(facts, readOptions));
    const named = readOptions.examineAll ? apis(readOptions) : [];
    const examined = new Set(examinedKeys(facts, readOptions));
    const suspects = [...held, ...keysOf([...denying(facts, readOptions), ...named])];
    return eachKey(keys, async (key) => {
      const kept = keptDenials(key, facts);
      if (kept.length > 0 && !examined.has(key))
        return { value: await stillDenied(access, kept, readOptions) };
      const isOfService = key.includes('/');
      const isOfApi = isOfService && !facts.pods.known(key);
      const known = () => (isOfService ? podsOf(facts, { key }) : writers(key, facts, readOptions));
      const pods = isOfApi ? await podsBehind(access, facts.services.getIfKnown(key)) : known();
      const running = pods.filter(({ status }) => status.phase === 'Running');
      const anyAge = held.includes(key) || !isOfService;
      const found = await denialsOf(access, running, {
        sinceSeconds: anyAge ? undefined : denialWindow,
        extra: isOfService && !suspects.includes(key),
      });
      const failed = found.find((one) => !isRead(one));
      const logged = [...found.flatMap((one) => (isRead(one) ? one.value : [])), ...kept];
      const own = isOfService || logged.length > 0 ? undefined : writesOwnBundle(key, facts, readOptions);
      const denied = [
        ...(await stillDenied(access, logged, readOptions)),
        ...(await unloggedDenials(access, running, facts.namespacePods.getIfKnown(key) ?? [], own)),
      ];
      return failed !== undefined && logged.length === 0 ? failed : { value: denied };
    });
  },
});
