import { isVerified } from '../apiserver/certificate/anchors.ts';
import { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
import type { FaultKind } from '../apiserver/certificate/verify/fault.ts';
import { verifyServerCertificate } from '../apiserver/certificate/verify/verify-server-certificate.ts';
import { blockBy, blockData, type ModelFacts } from '../apiserver/deadlock/block.ts';
import { servingOf } from '../apiserver/deadlock/serving.ts';
import { proxiedPortOf } from '../apiserver/routing/route.ts';
import { serverHost } from '../apiserver/routing/server-host.ts';
import { isCustom } from '../apiserver/trace/versions.ts';
import { selectorMatchesNoPod } from '../checks/backend/selector-matches-no-pod.ts';
import { targetPortNameMissing } from '../checks/backend/target-port-name-missing.ts';
import { workloadScaledToZero } from '../checks/backend/workload-scaled-to-zero.ts';
import { inCatalogue } from '../checks/catalogue.ts';
import type { Severity } from '../checks/chain.ts';
import type { DefinedCheck } from '../checks/check.ts';
import { outageRiskSingleReplica } from '../checks/failure-policy/outage-risk-single-replica.ts';
import { bootstrapDeadlock } from '../checks/scope/bootstrap-deadlock.ts';
import { staleCaBundle } from '../checks/tls/ca-bundle/stale-ca-bundle.ts';
import { servingCertificateExpired } from '../checks/tls/certificate/serving-certificate-expired.ts';
import { servingCertificateNameMismatch } from '../checks/tls/certificate/serving-certificate-name-mismatch.ts';
import type { FindingReport } from '../diagnose/report.ts';
import { type Callout, failsOpen, isAdmission, isServiceBacked, serviceKeys } from '../facts/callout.ts';
import { keyOf, type ObjectRef, refOf } from '../facts/object-ref.ts';
import { serviceSelects } from '../facts/objects/label-selector.ts';
import type { Service } from '../facts/objects/service.ts';
import { servingSources } from '../facts/objects/serving-source.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isSidecar } from '../facts/workloads/container-crash.ts';
import { refOfWorkload, workloadArgument, workloadsMaking } from '../facts/workloads/workloads.ts';
import { stepTemplates } from '../phrases/advice.ts';
import { listed } from '../phrases/lists.ts';

/** A finding about a Pod template: its Pods do not exist yet. */
function finding(
  definition: DefinedCheck,
  severity: Severity,
  subject: ObjectRef,
  { field, message }: { readonly field: string; readonly message: string },
): FindingReport {
  const { id, link, title, why, advice } = inCatalogue(definition).meta;
  const { namespace, name } = subject;
  return {
    id: `${id}:${subject.kind}/${keyOf(subject)}`,
    check: id,
    severity,
    confidence: 'derived',
    link,
    subject,
    title,
    message,
    why,
    advice: {
      steps: stepTemplates(advice),
      names: {
        namespace,
        workload: workloadArgument(subject),
        ...(subject.kind === 'Service' ? { service: name } : {}),
      },
    },
    evidence: [{ object: subject, field, value: message }],
    remedies: [],
  };
}

const containersOf = ({ spec }: Workload) => {
  const { initContainers = [], containers = [] } = spec.template.spec ?? {};
  return [...initContainers.filter(isSidecar), ...containers];
};

function ofService(service: Service, workloads: readonly Workload[]): readonly FindingReport[] {
  const { metadata, spec } = service;
  const { selector = {} } = spec;
  if (Object.keys(selector).length === 0 || workloads.length === 0) return [];
  const pairs = listed(Object.entries(selector).map(([key, value]) => `${key}=${value}`));
  const ref = refOf('Service', metadata);
  const selected = workloads.filter(({ spec: { template } }) =>
    serviceSelects(selector, template.metadata?.labels ?? {}),
  );
  if (selected.length === 0) {
    const message = `Service ${keyOf(metadata)} selects ${pairs}, and no workload of these manifests in its namespace has Pods with these labels`;
    return [finding(selectorMatchesNoPod, 'warning', ref, { field: 'spec.selector', message })];
  }
  const stopped = selected.filter(({ spec: { replicas } }) => replicas === 0);
  if (stopped.length === selected.length)
    return stopped.map((workload) =>
      finding(workloadScaledToZero, 'warning', refOfWorkload(workload), {
        field: 'spec.replicas',
        message: `${workload.kind} ${workload.metadata.name} declares 0 replicas: Service ${keyOf(metadata)} has no endpoints`,
      }),
    );
  return selected.flatMap((workload) => {
    const containers = containersOf(workload);
    const of = `${workload.kind} ${workload.metadata.name}`;
    const names = new Set(containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)));
    const missing = (spec.ports ?? []).flatMap(({ targetPort }) =>
      typeof targetPort === 'string' && !names.has(targetPort) && !/^\d+$/.test(targetPort)
        ? [targetPort]
        : [],
    );
    return missing.map((port) =>
      finding(targetPortNameMissing, 'error', ref, {
        field: 'spec.ports',
        message: `targetPort ${port} of Service ${keyOf(metadata)} is the name of no container port of ${of}`,
      }),
    );
  });
}

/** The effect on requests while the Pods of a webhook that fails closed are missing. */
function ofOutage(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads' | 'autoscalers'> & ModelFacts,
): readonly FindingReport[] {
  if (!isAdmission(callout) || !isServiceBacked(callout) || failsOpen(callout)) return [];
  const service = facts.services.getIfKnown(keyOf(callout.client.service));
  if (service === undefined) return [];
  return servingOf(service, facts).flatMap((serving) => {
    const { workload, ref } = serving;
    if (workload === undefined) return [];
    const block = blockBy(callout, serving, facts);
    const scalers = facts.autoscalers.getIfKnown(workload.metadata.namespace ?? '') ?? [];
    const isScaled = scalers.some(
      ({ spec: { scaleTargetRef, minReplicas = 1 } }) =>
        minReplicas > 1 &&
        scaleTargetRef.kind === workload.kind &&
        scaleTargetRef.name === workload.metadata.name,
    );
    return [
      ...(block === undefined
        ? []
        : [
            finding(bootstrapDeadlock, 'warning', callout.ref, {
              field: `webhooks[${callout.index}].rules`,
              message: `While no Pod of ${serving.text} is Ready, none can be created: their webhook ${callout.webhook} intercepts ${blockData(serving, block).requests}`,
            }),
          ]),
      ...(workload.kind === 'DaemonSet' || serving.wanted !== 1 || isScaled || !callout.rules.some(isOfAll)
        ? []
        : [
            finding(outageRiskSingleReplica, 'warning', ref, {
              field: 'spec.replicas',
              message: `${serving.text} has one replica, and requests are refused without it`,
            }),
          ]),
    ];
  });
}

/** Whether a rule matches more than custom resources, which only the webhook's own users write. */
const isOfAll = ({ apiGroups }: { readonly apiGroups: readonly string[] }): boolean =>
  apiGroups.some((group) => !isCustom({ group }));

type CertificateFacts = Pick<Facts, 'services' | 'workloads' | 'secrets' | 'takenAt' | 'version'>;

/** The checks that report errors of a certificate that is not served yet. Other errors are not reported. */
const certificateChecks: Partial<Record<FaultKind, DefinedCheck>> = {
  'unknown-authority': staleCaBundle,
  'issuer-key-differs': staleCaBundle,
  'name-mismatch': servingCertificateNameMismatch,
  'legacy-common-name': servingCertificateNameMismatch,
  expired: servingCertificateExpired,
};

/** Evaluates certificates of Secrets that the workloads behind a webhook mount, as the API server would. */
function ofCertificates(callout: Callout, facts: CertificateFacts): readonly FindingReport[] {
  const { caBundle = '' } = callout.client;
  if (!isServiceBacked(callout) || !isVerified(callout) || caBundle.trim() === '') return [];
  const { namespace, port } = callout.client.service;
  const service = facts.services.getIfKnown(keyOf(callout.client.service));
  if (service === undefined) return [];
  const behind = workloadsMaking(service.spec.selector, facts.workloads.getIfKnown(namespace) ?? []);
  return behind.flatMap(({ kind, metadata, spec }) =>
    servingSources({ spec: spec.template.spec }, proxiedPortOf(service, port)?.targetPort).flatMap(
      (source): readonly FindingReport[] => {
        const secret = facts.secrets.getIfKnown(keyOf({ namespace, name: source.name }));
        const presented = pemCertificates(secret?.certificates[source.certificateKey ?? 'tls.crt'] ?? '');
        if (source.kind !== 'Secret' || presented.length === 0) return [];
        const verdict = verifyServerCertificate({
          presented,
          caBundle,
          host: serverHost(callout) ?? '',
          now: new Date(facts.takenAt),
          serverVersion: facts.version,
        });
        const [fault] = verdict.outcome === 'rejected' ? verdict.faults : [];
        const check = fault && certificateChecks[fault.kind];
        if (fault === undefined || check === undefined) return [];
        const message = `The API server refuses the certificate in Secret ${source.name}, which ${kind} ${metadata.name} mounts: ${fault.text}`;
        return [
          finding(check, 'error', callout.ref, {
            field: `webhooks[${callout.index}].clientConfig.caBundle`,
            message,
          }),
        ];
      },
    ),
  );
}

/** Finds mismatches between webhooks, their Services, workloads and Secrets. */
export function backendFindings(
  facts: CertificateFacts & Pick<Facts, 'callouts' | 'autoscalers'> & ModelFacts,
): readonly FindingReport[] {
  const { callouts, services, workloads } = facts;
  const keys = serviceKeys(callouts);
  const ofServices = [...keys].flatMap((key) => {
    const service = services.getIfKnown(key);
    const beside = workloads.getIfKnown(service?.metadata.namespace ?? '') ?? [];
    return service === undefined ? [] : ofService(service, beside);
  });
  return [
    ...ofServices,
    ...callouts.flatMap((callout) => [...ofCertificates(callout, facts), ...ofOutage(callout, facts)]),
  ];
}
