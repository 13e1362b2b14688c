import type { Callout } from '../facts/callout.ts';
import { products } from './catalogue.ts';
import { fieldManagers } from './field-managers.ts';
import type { ConfigurationField, Writer } from './product.ts';

/** A process that writes into a callout's object, and how that shows. */
export interface KnownWriter {
  readonly writer: Writer;
  /** What it was seen to write; what it is known to write where it was only asked. */
  readonly fields: readonly ConfigurationField[];
  /** The annotation that asks it to. */
  readonly annotation?: string;
  /** Its field managers that have written, with what each wrote. */
  readonly managers: ReadonlyMap<string, readonly ConfigurationField[]>;
}

const writers: readonly Writer[] = products.flatMap((product) => product.writers ?? []);

/** Known processes that were asked to write, by annotation, or that have written. */
export function knownWriters(callout: Callout): readonly KnownWriter[] {
  const written = fieldManagers(callout);
  return writers.flatMap((writer): readonly KnownWriter[] => {
    const annotation = writer.annotations?.find((key) => callout.metadata.annotations?.[key] !== undefined);
    const managers = new Map(
      writer.managers.flatMap((manager) => {
        const fields = written.get(manager);
        return fields === undefined ? [] : [[manager, fields] as const];
      }),
    );
    if (annotation === undefined && managers.size === 0) return [];
    const seen = [...managers.values()].flat();
    return [
      {
        writer,
        fields: seen.length > 0 ? [...new Set(seen)] : writer.fields,
        ...(annotation === undefined ? {} : { annotation }),
        managers,
      },
    ];
  });
}

/** People, and tools that write once for people or for a declared state, which is told otherwise. */
const installers =
  /^(kubectl|helm|argocd|kustomize-controller|helm-controller|flux|olm|terraform|hashicorp|pulumi|kapp|k9s|lens|node-fetch|mozilla|before-first-apply)/i;

const known: ReadonlySet<string> = new Set(writers.flatMap(({ managers }) => managers));

/** What the API server writes down for a client that gave no name (apiserver managedfields/fieldmanager.go). */
const nameless = 'unknown';

/** Field managers that no product explains: an operator, as a rule. Each with what it wrote. */
export const unknownWriters = (
  callout: Callout,
): readonly (readonly [manager: string, fields: readonly ConfigurationField[]])[] =>
  [...fieldManagers(callout)].filter(
    ([manager]) => manager !== nameless && !installers.test(manager) && !known.has(manager),
  );
