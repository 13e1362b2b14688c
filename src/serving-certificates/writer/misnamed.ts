import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { refText } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { isDenial } from '../../facts/rbac-denial.ts';
import { logEvidence } from '../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod, workloadArgument, workloadOfPod } from '../../facts/workloads/workloads.ts';
import type { WriterFacts, WriterProblem } from './writer-facts.ts';

/** A configuration that a Pod writes, and what shows it. */
interface WrittenConfiguration {
  readonly name: string;
  /** False if only the name is known: the configuration may be of the other kind. */
  readonly hasKind: boolean;
  readonly evidence: Evidence;
}

/**
 * Flags and variables with the name of a configuration: `--mutating-webhook-name`,
 * `VALIDATION_WEBHOOK_CONFIG_NAME`. `WEBHOOK_NAME` alone often is the name of a Service.
 */
const namesConfiguration =
  /^(?:-{0,2})(?:[a-z0-9]+[-_])*?(?:(?:mutating|validating)[-_]?webhook|webhook[-_]?config(?:uration)?s?)[-_]?(?:config(?:uration)?s?[-_]?)?name$/i;

const declaredBy = (pod: Pod, kind: string): readonly WrittenConfiguration[] =>
  pod.spec.containers.flatMap(({ name: container, args = [], command = [], env = [] }) => {
    const flags = [...command, ...args].map((text) => [text.split('=', 1)[0] ?? '', text] as const);
    const variables = env.map(({ name, value = '' }) => [name, `${name}=${value}`] as const);
    return [...flags, ...variables].flatMap(([key, text]) => {
      const value = text.slice(key.length + 1);
      const other = kind.startsWith('Mutating') ? /validating|validation/i : /mutating|mutation|injection/i;
      if (!namesConfiguration.test(key) || other.test(key) || !/^[a-z0-9][\w.:-]*$/.test(value)) return [];
      const field = `spec.containers[${container}]`;
      const evidence = { object: refOfPod(pod), field, value: text };
      return [{ name: value, hasKind: /mutating|validating|validation/i.test(key), evidence }];
    });
  });

const loggedBy = (pod: Pod, kind: string, facts: WriterFacts): readonly WrittenConfiguration[] =>
  (facts.rbacDenials.getIfKnown(pod.metadata.namespace ?? '') ?? []).flatMap((one) =>
    isDenial(one) || one.pod.name !== pod.metadata.name || !one.missing.startsWith(`${kind} `)
      ? []
      : [
          {
            name: one.missing.slice(kind.length + 1),
            hasKind: true,
            evidence: logEvidence(one.pod, one.container, one.line),
          },
        ],
  );

/** Reports a Pod of the backend that writes a configuration that does not exist: its own has another name. */
export function nameProblem(callout: Callout, facts: WriterFacts): WriterProblem | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const { kind } = callout.ref;
  const exists = ({ name, hasKind }: WrittenConfiguration): boolean =>
    facts.callouts.some(
      ({ ref }) => (ref.name === name || ref.webhook === name) && (!hasKind || ref.kind === kind),
    );
  for (const pod of knownPods(callout, facts)) {
    const all = [...loggedBy(pod, kind, facts), ...declaredBy(pod, kind)];
    const found = all.find((one) => !exists(one));
    if (found === undefined || all.some(({ name }) => name === callout.configuration)) continue;
    return {
      why: 'misnamed',
      writer: refText(refOfPod(pod)),
      detail: `${kind} ${found.name}`,
      evidence: [found.evidence],
      affected: workloadArgument(workloadOfPod(pod)),
    };
  }
  return undefined;
}
