import type { Evidence } from '../evidence.ts';
import { keyOf, type ObjectRef, refOf } from '../object-ref.ts';
import type { Pod } from '../objects/pod.ts';
import type { RbacDenial } from '../rbac-denial.ts';
import type { Facts } from '../snapshot.ts';

/** The lines that were kept of the log of a container, as one text; empty if the log was not read. */
export const logOf = (
  { metadata }: Pod,
  container: string | undefined,
  { logs }: Pick<Facts, 'logs'>,
): string => logs.getIfKnown(`${keyOf(metadata)}/${container}`) ?? '';

/** The kept log lines of some containers of a Pod, in their order. */
export const logLines = (
  pod: Pod,
  containers: readonly { readonly name: string }[],
  facts: Pick<Facts, 'logs'>,
) =>
  containers.flatMap(({ name: container }) =>
    logOf(pod, container, facts)
      .split('\n')
      .map((line) => ({ pod, container, line })),
  );

const field = 'log of container ';

/** A log line of a Pod as evidence. */
export const logEvidence = (pod: ObjectRef, container: string, line: string): Evidence => ({
  object: pod,
  field: `${field}${container}`,
  value: line,
});

/** Whether it is evidence of {@link logEvidence}. */
export const isOfLog = (evidence: Evidence): boolean => evidence.field?.startsWith(field) === true;

/** The evidence for a missing permission: the line of the log, else what the API server reviewed. */
export function denialEvidence({ pod, container, line, forbidden }: RbacDenial): readonly Evidence[] {
  if (line !== '') return [logEvidence(pod, container, line)];
  const [namespace, name = ''] = forbidden.account.split('/');
  return [
    {
      object: refOf('ServiceAccount', { namespace, name }),
      field: 'SubjectAccessReview',
      value: `${forbidden.verb} ${forbidden.resource} ${forbidden.name ?? ''}: not allowed`,
    },
  ];
}
