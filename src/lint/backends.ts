import { selectorMatchesNoPod } from '../checks/backend/selector-matches-no-pod.ts';
import { targetPortNameMissing } from '../checks/backend/target-port-name-missing.ts';
import type { Check, Severity } from '../checks/check.ts';
import { readinessDoesNotCoverWebhook } from '../checks/practice/readiness-does-not-cover-webhook.ts';
import type { FindingReport } from '../diagnose/report.ts';
import { isSidecar } from '../facts/container-crash.ts';
import { serviceSelects } from '../facts/label-selector.ts';
import { keyOf, type ObjectRef } from '../facts/object-ref.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { listed } from '../phrases/lists.ts';

/** What a check means, said of templates: the Pods do not exist yet. */
function finding(
  { meta }: Check,
  severity: Severity,
  subject: ObjectRef,
  field: string,
  message: string,
): FindingReport {
  const { id, link, title, why, advice } = meta;
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
    advice: { text: advice, names: { namespace, ...(subject.kind === 'Service' ? { service: name } : {}) } },
    evidence: [{ object: subject, field, value: message }],
    remedies: [],
  };
}

const containersOf = ({ spec }: Workload) => {
  const { initContainers = [], containers = [] } = spec.template.spec ?? {};
  return [...initContainers.filter(isSidecar), ...containers];
};

const refOf = (kind: string, { name, namespace }: { name: string; namespace?: string }): ObjectRef => ({
  kind,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

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
    return [finding(selectorMatchesNoPod, 'warning', ref, 'spec.selector', message)];
  }
  return selected.flatMap((workload) => {
    const containers = containersOf(workload);
    const of = `${workload.kind} ${workload.metadata.name}`;
    const names = new Set(containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)));
    const missing = (spec.ports ?? []).flatMap(({ targetPort }) =>
      typeof targetPort === 'string' && !names.has(targetPort) && !/^\d+$/.test(targetPort)
        ? [targetPort]
        : [],
    );
    const at = refOf(workload.kind, workload.metadata);
    return [
      ...missing.map((port) =>
        finding(
          targetPortNameMissing,
          'error',
          ref,
          'spec.ports',
          `targetPort ${port} of Service ${keyOf(metadata)} is the name of no container port of ${of}`,
        ),
      ),
      ...(containers.some(({ readinessProbe }) => readinessProbe != null)
        ? []
        : [
            finding(
              readinessDoesNotCoverWebhook,
              'warning',
              at,
              'spec.template.spec.containers',
              `${of} has no readinessProbe: its Pods receive requests before they can serve them`,
            ),
          ]),
    ];
  });
}

/** What does not belong together between the Services that webhooks call and the workloads beside them. */
export function backendFindings({
  callouts,
  services,
  workloads,
}: Pick<Facts, 'callouts' | 'services' | 'workloads'>): readonly FindingReport[] {
  const keys = new Set(callouts.flatMap(({ client: { service } }) => (service ? [keyOf(service)] : [])));
  return [...keys].flatMap((key) => {
    const service = services.getIfKnown(key);
    const beside = workloads.getIfKnown(service?.metadata.namespace ?? '') ?? [];
    return service === undefined ? [] : ofService(service, beside);
  });
}
