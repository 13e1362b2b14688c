import type { Callout } from '../../facts/callout.ts';
import { refText } from '../../facts/object-ref.ts';
import { serviceSelects } from '../../facts/objects/label-selector.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { podState } from '../../facts/workloads/pod-state.ts';
import {
  isOwnWorkload,
  refOfWorkload,
  wantedPods,
  workloadArgument,
  workloadOfPod,
} from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { fieldManagers } from '../../products/field-managers.ts';
import { commonNames } from '../../products/writers.ts';
import { aboutBundles, aboutCertificates, containsName, templateTexts } from './template-texts.ts';
import type { WriterFacts, WriterProblem } from './writer-facts.ts';

/** Names of programs that only create certificates. */
const certificateProgram =
  /\b(?:web-?hook-)?certs?-?(?:controller|manager|gen(?:erator)?|rotator)\b|\bgen-?certs?\b|certgen/i;

/** An argument that enables the creation of certificates: `--enable-cert-rotation=true`. */
const rotates = /^--(?:enable-)?cert(?:ificate)?-(?:rotation|management)(?:=true)?$/;

/** True for a Pod that creates its own certificate. */
export const createsOwn = ({ spec }: Pod): boolean =>
  spec.containers.some(({ command = [], args = [] }) =>
    [...command, ...args].some((word) => rotates.test(word)),
  );

/** True for a workload that can start without a Secret that others wait for: it creates the Secret. */
const startsWithout = ({ spec: { template } }: Workload, secrets: readonly string[]): boolean =>
  template.spec.volumes?.some(
    ({ secret }) => secret?.optional === true && secrets.includes(secret.secretName ?? ''),
  ) ?? false;

/** The images of all containers. */
const imagesOf = ({ spec: { template } }: Workload): readonly string[] =>
  template.spec.containers.flatMap(({ image }) => image ?? []);

/**
 * Finds other workloads that maintain the certificate of a backend. Their arguments name the configuration or
 * the Secret, or enable rotation; or their name is that of the field's last writer, or of a certificate
 * program; or they start without the Secret that the backend waits for. The most likely one comes first.
 */
export function writingWorkloads(
  callout: Callout,
  facts: Pick<WriterFacts, 'services' | 'workloads'>,
  secrets: readonly string[],
): readonly Workload[] {
  const { namespace = '', name = '' } = callout.client.service ?? {};
  const { selector } = facts.services.getIfKnown(`${namespace}/${name}`)?.spec ?? {};
  const managers = [...fieldManagers(callout)].flatMap(([manager, fields]) =>
    fields.includes('caBundle') && !commonNames.has(manager) ? [manager] : [],
  );
  const others = (facts.workloads.getIfKnown(namespace) ?? []).filter(
    (workload) =>
      isOwnWorkload(workload) && !serviceSelects(selector, workload.spec.template.metadata?.labels),
  );
  const declared = others.filter((workload) => {
    const [, ...words] = templateTexts(workload);
    return (
      certificateProgram.test(workload.metadata.name) ||
      words.some((word) => rotates.test(word)) ||
      startsWithout(workload, secrets) ||
      (words.some((word) => aboutBundles.test(word) || aboutCertificates.test(word)) &&
        [callout.configuration, ...secrets].some((one) => containsName(words, one)))
    );
  });
  const named = others.filter((workload) => {
    const names = [
      workload.metadata.name,
      ...workload.spec.template.spec.containers.map(({ name: container }) => container),
    ];
    return managers.some((manager) => names.includes(manager));
  });
  // Parts of a product that are one program write as the same manager.
  const images = named.flatMap(imagesOf);
  const parts = declared.filter(
    (workload) =>
      managers.some((manager) => workload.metadata.name.startsWith(`${manager}-`)) ||
      imagesOf(workload).some((image) => images.includes(image)),
  );
  return [...new Set([...(parts.length > 0 ? parts : named), ...declared])];
}

/** True for a workload that is certainly of this callout: it is named after the Service, or names an object of it. */
export function isWriterOf(workload: Workload, callout: Callout, secrets: readonly string[]): boolean {
  const { name = '' } = callout.client.service ?? {};
  const [, ...words] = templateTexts(workload);
  return (
    workload.metadata.name.startsWith(`${name}-`) ||
    [callout.configuration, name, ...secrets].some((one) => containsName(words, one))
  );
}

/** True for a Pod whose containers run and have not been restarted. */
const runs = ({ status: { phase, containerStatuses = [] } }: Pod): boolean =>
  phase === 'Running' &&
  containerStatuses.length > 0 &&
  containerStatuses.every(({ state, restartCount }) => state?.running !== undefined && restartCount === 0);

/**
 * Reports that none of the workloads runs that write the certificate or caBundle, by the first of them.
 *
 * @param absent Secrets that the backend waits for, and that do not exist.
 */
export function stoppedWriterProblem(
  writing: readonly Workload[],
  facts: WriterFacts,
  absent: readonly string[],
): WriterProblem | undefined {
  const [first] = writing;
  const available = ({ status }: Workload) => status.availableReplicas ?? status.numberReady ?? 0;
  if (first === undefined || writing.some((workload) => available(workload) > 0)) return undefined;
  const object = refOfWorkload(first);
  const writer = refText(object);
  const affected = workloadArgument({ kind: first.kind, name: first.metadata.name });
  if (wantedPods(first) === 0) {
    const evidence = [{ object, field: 'spec.replicas', value: '0' }];
    return { why: 'scaledToZero', writer, evidence, affected, isStopped: true };
  }
  const { reason, message } =
    first.status.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True') ?? {};
  const own = (facts.namespacePods.getIfKnown(first.metadata.namespace ?? '') ?? []).find(
    (pod) => workloadOfPod(pod).name === first.metadata.name,
  );
  // A program that runs, and is not Ready, may wait for the same Secret: some only fill it.
  if (absent.length > 0 && own !== undefined && runs(own)) return undefined;
  const state = own && podState(own, podContext(own, facts));
  const detail =
    [state?.reason ?? reason, state?.text ?? message].filter(Boolean).join(': ') || 'no reason reported';
  const evidence = [{ object, field: 'status.availableReplicas', value: '0' }];
  if (state?.reason === 'OOMKilled')
    return { why: 'outOfMemory', writer, evidence, affected, isStopped: true };
  const isStopped = state?.state === 'crash-looping';
  return { why: 'unavailable', writer, detail: brief(detail), evidence, affected, isStopped };
}
