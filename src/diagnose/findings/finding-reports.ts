import { defined } from '../../basics/collections.ts';
import { derive, remembered } from '../../basics/derive.ts';
import {
  adviceFor,
  type Check,
  type Finding,
  type Implication,
  messageText,
  sharedText,
  titleFor,
} from '../../checks/check.ts';
import type { Callout } from '../../facts/callout.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import { endpointsIn } from '../../facts/objects/endpoint-slice.ts';
import { type Metadata, restoringOwner } from '../../facts/objects/metadata.ts';
import { selectsPods } from '../../facts/objects/service.ts';
import { servedByGroup } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import {
  byWorkload,
  controllerOf,
  deploymentOfPodNames,
  refOfWorkload,
  workloadArgument,
  workloadOfPod,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { applicableAdvice, type Names, stepTemplates } from '../../phrases/advice.ts';
import type { FindingReport, MessageValue } from '../report.ts';
import type { ExplainedFinding } from './cause.ts';

const ownerSteps = stepTemplates(
  '[with] Its owner may undo that: change it there, too: `kubectl edit {owner}`.',
);

/**
 * The steps of an advice, with one about the owner of the configuration after the first that edits it. Findings of a check
 * share them.
 */
const stepsWithOwner = remembered((advice: string) => {
  const steps = stepTemplates(advice);
  const edit = steps.findIndex(({ command }) => command === 'kubectl edit {kind} {configuration}');
  return edit === -1 ? steps : steps.toSpliced(edit + 1, 0, ...ownerSteps);
});

const names = ['services', 'endpointSlices', 'pods', 'workloads', 'served'] as const;
type NameFacts = Pick<Facts, (typeof names)[number]>;

/** Returns a function: true unless discovery shows that kubectl has no resource of this group. */
function groupsOf({ served }: Pick<Facts, 'served'>): (group: string) => boolean {
  const known = served.getIfKnown('served');
  return (group) => known === undefined || servedByGroup(known).has(group);
}

/**
 * The workload of Pods that were not read: a healthy backend has their names in its EndpointSlices only. Pods of an
 * Argo Rollout have names like those of a Deployment.
 */
function workloadOfEndpoints(key: string, { endpointSlices, served }: NameFacts): string | undefined {
  const known = served.getIfKnown('served');
  if (known === undefined || servedByGroup(known).has('argoproj.io')) return undefined;
  const endpoints = endpointsIn(endpointSlices.getIfKnown(key) ?? []);
  const pods = endpoints.flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? (targetRef.name ?? []) : [],
  );
  const name = pods.length === endpoints.length ? deploymentOfPodNames(pods) : undefined;
  return name === undefined ? undefined : workloadArgument({ kind: 'Deployment', name });
}

/** The only workload behind the Service: controller of its Pods, else the one that it selects. */
const workloadInAdvice = derive(names, (facts: NameFacts, { client }: Callout) => {
  const { services, pods, workloads } = facts;
  const { service } = client;
  if (service === undefined) return undefined;
  const key = keyOf(service);
  const groups = [...byWorkload(pods.getIfKnown(key) ?? []).values()];
  const [[pod] = [], ...others] = groups;
  if (pod !== undefined) return others.length === 0 ? workloadArgument(workloadOfPod(pod)) : undefined;
  const selector = services.getIfKnown(key)?.spec.selector;
  const here = workloads.getIfKnown(service.namespace) ?? [];
  const [controller, ...rest] = workloadsMaking(selector, here);
  if (controller === undefined) return workloadOfEndpoints(key, facts);
  return rest.length > 0 ? undefined : workloadArgument(refOfWorkload(controller));
});

/** The only workload of the Pods that are the evidence of a finding. */
function workloadOfEvidence(
  { evidence }: Finding,
  callout: Callout,
  { pods }: NameFacts,
): string | undefined {
  const { service } = callout.client;
  const known = service === undefined ? [] : (pods.getIfKnown(keyOf(service)) ?? []);
  const meant = new Set(evidence.flatMap(({ object }) => (object?.kind === 'Pod' ? [object.name] : [])));
  const [[pod] = [], ...others] = byWorkload(
    known.filter(({ metadata }) => meant.has(metadata.name)),
  ).values();
  return pod === undefined || others.length > 0 ? undefined : workloadArgument(workloadOfPod(pod));
}

/** The Deployment behind the Service, if several of its ReplicaSets are known: itself, or by a Pod. */
const revisedBehind = derive(names, (facts: NameFacts, callout: Callout) => {
  const { service } = callout.client;
  const deployment = workloadInAdvice(facts, callout);
  if (service === undefined || deployment?.startsWith('deployment/') !== true) return undefined;
  const replicaSets = [
    ...(facts.workloads.getIfKnown(service.namespace) ?? [])
      .filter(({ kind, metadata }) => kind === 'ReplicaSet' && controllerOf(metadata)?.kind === 'Deployment')
      .filter(({ metadata }) => `deployment/${controllerOf(metadata)?.name}` === deployment)
      .map(({ metadata }) => metadata.name),
    ...(facts.pods.getIfKnown(keyOf(service)) ?? []).map(({ metadata }) => controllerOf(metadata)?.name),
  ];
  return new Set(replicaSets).size > 1 ? deployment : undefined;
});

/** Whether a Service may select Pods: it was not read, or has a selector. */
function hasSelector({ services }: NameFacts, key: string): boolean {
  const service = services.getIfKnown(key);
  return service === undefined || selectsPods(service);
}

/** The ClusterServiceVersion that owns a workload: OLM writes the Deployment again as its `spec.install` declares it. */
function declaredBy(
  workload: string | undefined,
  namespace: string,
  { workloads }: NameFacts,
): string | undefined {
  if (workload?.startsWith('deployment/') !== true) return undefined;
  const found = (workloads.getIfKnown(namespace) ?? []).find(
    (one) => workloadArgument(refOfWorkload(one)) === workload,
  );
  const owner = found?.metadata.ownerReferences?.find(({ kind }) => kind === 'ClusterServiceVersion');
  return owner && `clusterserviceversion/${owner.name}`;
}

/** Values for the placeholders of a command: the names of the backend. */
function backendNames(callout: Callout, facts: NameFacts): Names {
  const { service } = callout.client;
  const workload = workloadInAdvice(facts, callout);
  return {
    service: service?.name,
    workload,
    edited: declaredBy(workload, service?.namespace ?? '', facts),
    revised: revisedBehind(facts, callout),
    // For `kubectl logs`, which accepts a Service with a selector and selects one of its Pods.
    backend:
      workload ?? (service && hasSelector(facts, keyOf(service)) ? `service/${service.name}` : undefined),
  };
}

/** Values for the placeholders of a command: the names of the subject of a finding, where its backend is. */
const subjectNames = (
  { kind, namespace, name }: ObjectRef,
  callout: Callout | undefined,
  mayHave: (group: string) => boolean,
): Names => {
  const there = callout?.client.service?.namespace ?? namespace;
  return {
    kind: kind.toLowerCase(),
    configuration: name,
    // Deleting a CRD deletes all its objects.
    ...(kind === 'CustomResourceDefinition' ? { crd: name } : { leftover: name }),
    ...(kind.endsWith('WebhookConfiguration') ? { admission: name } : {}),
    namespace: there,
    issuing: mayHave('cert-manager.io') ? there : undefined,
    metered: mayHave('metrics.k8s.io') ? there : undefined,
  };
};

/** The argument of kubectl for the object whose controller restores a configuration. The API server does not validate the kind. */
function ownerArgument(metadata: Metadata): string | undefined {
  const { kind = '', apiVersion = '', name } = restoringOwner(metadata) ?? {};
  return name === undefined || !/^[A-Za-z][A-Za-z\d]*$/.test(kind)
    ? undefined
    : `${kind.toLowerCase()}.${apiVersion.split('/')[0]}/${name}`;
}

/** The parts of a message: texts, and at odd places the names of data. Findings of a check share the message. */
const partsOfMessage = remembered((text: string): readonly string[] => text.split(/\{(\w+)\}/));

/**
 * The sentence of a finding. Its first letter is a capital, unless it starts with a name, such as `failurePolicy`
 * or data of one word: `deployment` and `Deployment` differ.
 */
function messageOf({ data }: Pick<Finding, 'data'>, text: string): string {
  const parts = partsOfMessage(text);
  const filled = parts.map((part, at) => (at % 2 === 0 ? part : String(data[part] ?? `{${part}}`))).join('');
  const [start, first = '', next = ''] = parts;
  const isName = start === '' && next.startsWith(' ') && !String(data[first]).includes(' ');
  return isName ? filled : filled.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
}

/** The names of the values in a message, and whether each stands by itself: the same for all findings with this message. */
const placesIn = remembered((text: string) =>
  partsOfMessage(text).flatMap((name, at, parts) => {
    const [before = '', after = ''] = [parts[at - 1], parts[at + 1]];
    const isQuote = /(?:: |\()$/.test(before) && /^(?:$|[);,]| \()/.test(after);
    return at % 2 === 0 ? [] : [{ name, isQuote }];
  }),
);

/** The values of a finding in its message. */
const valuesOf = ({ data }: Finding, text: string): readonly MessageValue[] =>
  placesIn(text).map(({ name, isQuote }) => ({ text: String(data[name]), isQuote }));

/** The title of a finding, and that of its check, if they differ. */
function titlesOf(meta: Check['meta'], messageId: string): Pick<FindingReport, 'title' | 'checkTitle'> {
  const title = titleFor(meta, messageId);
  return title === meta.title ? { title } : { title, checkTitle: meta.title };
}

/** The sentence without the names of the backend, if the cause can be shared with other backends. */
function sharedMessageOf({ messageId, data }: Finding, { meta }: Check): string | undefined {
  const text = sharedText(meta, messageId);
  return text === undefined ? undefined : messageOf({ data: { ...data, ...theirs } }, text);
}

const theirs = { pods: 'their Pods', replicas: 'their Pods', workload: 'their workloads' };

/** The subject of findings: a webhook or APIService, or another object by its id. */
export interface ReportSubject {
  readonly id: string;
  readonly callout?: Callout;
  /** Flags that select the same cluster in a suggested command, with a leading space. */
  readonly sameCluster?: string | undefined;
}

/** What a finding says about its webhook besides its state. */
const implied: Readonly<
  Partial<Record<Implication, Pick<FindingReport, 'refusedAnyway' | 'noWayBack' | 'admittedAnyway'>>>
> = {
  'refused-anyway': { refusedAnyway: true },
  'no-way-back': { noWayBack: true },
  'admitted-anyway': { admittedAnyway: true },
};

/** All texts of a finding. */
const textsOf = (finding: Finding, check: Check) => {
  const { meta } = check;
  const text = messageText(meta.messages[finding.messageId] ?? '');
  return {
    ...titlesOf(meta, finding.messageId),
    message: messageOf(finding, text),
    values: valuesOf(finding, text),
    ...defined({ sharedMessage: sharedMessageOf(finding, check) }),
    why: meta.why,
  };
};

/** Findings with all their texts filled in; those of one check about one subject are numbered. */
export function findingReports(
  { id: about, callout, sameCluster }: ReportSubject,
  explained: readonly ExplainedFinding[],
  checks: ReadonlyMap<string, Check>,
  facts: Facts,
): readonly FindingReport[] {
  if (explained.length === 0) return [];
  const timesFound = new Map<string, number>();
  const backend = callout && backendNames(callout, facts);
  const mayHave = groupsOf(facts);
  const namesOf = (subject: ObjectRef): Names => subjectNames(subject, callout, mayHave);
  const own = callout && { ...namesOf(callout.ref), owner: ownerArgument(callout.metadata) };
  return explained.flatMap(({ finding, causedBy }) => {
    const check = checks.get(finding.checkId);
    if (check === undefined) return [];
    const times = (timesFound.get(finding.checkId) ?? 0) + 1;
    timesFound.set(finding.checkId, times);
    const { severity, confidence, link, subject, evidence, since, implies } = finding;
    return [
      {
        id: `${finding.checkId}:${about}${times > 1 ? `#${times}` : ''}`,
        check: finding.checkId,
        ...{ severity, confidence, link, subject },
        ...(callout === undefined ? {} : { callout: about }),
        ...textsOf(finding, check),
        advice: applicableAdvice({
          ...defined({ flags: sameCluster }),
          steps: stepsWithOwner(adviceFor(check.meta, finding.messageId)),
          names: {
            ...backend,
            workload: backend?.workload ?? (callout && workloadOfEvidence(finding, callout, facts)),
            ...(subject === callout?.ref ? own : namesOf(subject)),
            ...finding.names,
          },
        }),
        evidence,
        ...defined({ since, causedBy }),
        ...(implies && implied[implies]),
        remedies: [],
      },
    ];
  });
}
