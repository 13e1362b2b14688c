import type { Callout } from '../../facts/callout.ts';
import { products } from '../../products/catalogue.ts';
import type { ConfigurationField, Writer } from '../../products/product.ts';
import type { Evidence } from '../check.ts';
import { fieldManagers } from './field-managers.ts';

/** A process that writes into a callout's object, and what shows it. */
export interface Writing {
  readonly writer: Writer;
  readonly fields: readonly ConfigurationField[];
  readonly evidence: readonly Evidence[];
}

const managed = (callout: Callout, manager: string, fields: readonly ConfigurationField[]): Evidence => ({
  object: callout.ref,
  field: 'metadata.managedFields',
  value: `${manager} wrote ${fields.join(', ')}`,
});

const writers: readonly Writer[] = products.flatMap((product) => product.writers ?? []);

/** Known processes that were asked to write, by annotation, or that have written. */
export function knownWriters(callout: Callout): readonly Writing[] {
  const written = fieldManagers(callout);
  return writers.flatMap((writer): readonly Writing[] => {
    const annotation = writer.annotations?.find((key) => callout.metadata.annotations?.[key] !== undefined);
    const managers = writer.managers.filter((manager) => written.has(manager));
    if (annotation === undefined && managers.length === 0) return [];
    const asked: readonly Evidence[] =
      annotation === undefined
        ? []
        : [
            {
              object: callout.ref,
              field: `metadata.annotations["${annotation}"]`,
              value: callout.metadata.annotations?.[annotation] ?? '',
            },
          ];
    const seen = managers.flatMap((manager) => written.get(manager) ?? []);
    return [
      {
        writer,
        fields: seen.length > 0 ? [...new Set(seen)] : writer.fields,
        evidence: [
          ...asked,
          ...managers.map((manager) => managed(callout, manager, written.get(manager) ?? [])),
        ],
      },
    ];
  });
}

/** People, and tools that write once for people or for a declared state, which is told otherwise. */
const installers =
  /^(kubectl|helm|argocd|kustomize-controller|helm-controller|flux|olm|terraform|hashicorp|pulumi|kapp|k9s|lens|node-fetch|mozilla|before-first-apply)/i;

const known: ReadonlySet<string> = new Set(writers.flatMap(({ managers }) => managers));

/** Field managers that no product explains: an operator, as a rule. */
export const unknownWriters = (callout: Callout) =>
  [...fieldManagers(callout)]
    .filter(([manager]) => !installers.test(manager) && !known.has(manager))
    .map(([manager, fields]) => ({ manager, fields, evidence: [managed(callout, manager, fields)] }));
