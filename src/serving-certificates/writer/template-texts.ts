import type { Job } from '../../facts/objects/pod-controller.ts';
import type { Workload } from '../../facts/objects/workload.ts';

/** Returns the texts in the template of a Job or a workload that may name the object that it writes. */
export const templateTexts = ({ metadata, spec: { template } }: Job | Workload): readonly string[] => [
  metadata.name,
  ...[...template.spec.containers, ...(template.spec.initContainers ?? [])].flatMap(
    ({ image = '', command = [], args = [], env = [] }) => [
      image,
      ...command,
      ...args,
      ...env.map(({ value = '' }) => value),
    ],
  ),
];

/** Arguments of programs that set a caBundle. */
export const aboutBundles = /webhook-?config|ca-?bundle|patch-(validating|mutating)|webhook-name/i;
/** Arguments and names of programs that create certificates. */
export const aboutCertificates = /cert|tls|ssl|\bca\b/i;

/** True if one of the texts contains the name as a complete word, or as the value of an argument. */
export const containsName = (words: readonly string[], name: string): boolean =>
  words.some((word) => word.split(/[\s,;:=/"']+/).includes(name) || word.includes(`=${name}`));
