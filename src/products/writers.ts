import type { Callout } from '../facts/callout.ts';
import { remembered } from '../facts/derive.ts';
import type { Evidence } from '../facts/evidence.ts';
import { products } from './catalogue.ts';
import { fieldManagers } from './field-managers.ts';
import { productOf } from './of-webhook.ts';
import type { ConfigurationField, Product, Writer } from './product.ts';

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

const writersOf = ({ writers = [] }: Product): readonly Writer[] => writers;

const everyWriter = products.flatMap((product) => writersOf(product).map((writer) => ({ writer, product })));

/** What programs are called whose authors gave them no name of their own (client-go takes it from the binary). */
export const commonNames: ReadonlySet<string> = new Set([
  'manager',
  'controller',
  'operator',
  'webhook',
  'injector',
  'admission-controller',
]);

/** Whether a field manager's name tells of a writer: a common name does so on its own product's callouts only. */
const tells = (manager: string, isItsOwn: boolean): boolean => isItsOwn || !commonNames.has(manager);

/** Writers by each annotation and each field manager that tells of them, as places in the list of all. */
const places = new Map<string, number[]>();
for (const [place, { writer }] of everyWriter.entries()) {
  for (const sign of [...(writer.annotations ?? []), ...writer.managers]) {
    places.set(sign, [...(places.get(sign) ?? []), place]);
  }
}

function findWriters(callout: Callout): readonly KnownWriter[] {
  const written = fieldManagers(callout);
  const signs = [...Object.keys(callout.metadata.annotations ?? {}), ...written.keys()];
  const found = new Set(signs.flatMap((sign) => places.get(sign) ?? []));
  if (found.size === 0) return [];
  const own = productOf(callout);
  return [...found]
    .sort((a, b) => a - b)
    .flatMap((place): readonly KnownWriter[] => {
      const { writer, product } = everyWriter[place] as (typeof everyWriter)[number];
      const annotation = writer.annotations?.find((key) => callout.metadata.annotations?.[key] !== undefined);
      const names = writer.managers.filter(
        (manager) => written.has(manager) && tells(manager, product === own),
      );
      if (annotation === undefined && names.length === 0) return [];
      const managers = new Map(names.map((manager) => [manager, written.get(manager) ?? []]));
      const times = [...managers.values()].flat();
      return [
        {
          writer,
          fields: times.length > 0 ? [...new Set(times)] : writer.fields,
          ...(annotation === undefined ? {} : { annotation }),
          managers,
        },
      ];
    });
}

/** Known processes that were asked to write, by annotation, or that have written. */
export const knownWriters = remembered(findWriters);

/** People, and tools that write once for people or for a declared state, which is told otherwise. */
const installers =
  /^(kubectl|helm|argocd|kustomize-controller|helm-controller|flux|olm|terraform|hashicorp|pulumi|kapp|k9s|lens|node-fetch|mozilla|before-first-apply)/i;

const isKnown = (manager: string, own: Product | undefined): boolean =>
  everyWriter.some(
    ({ writer, product }) => writer.managers.includes(manager) && tells(manager, product === own),
  );

/** What the API server writes down for a client that gave no name (apiserver managedfields/fieldmanager.go). */
const nameless = 'unknown';

/** Field managers that no product explains: an operator, as a rule. Each with what it wrote. */
export const unknownWriters = (
  callout: Callout,
): readonly (readonly [manager: string, fields: readonly ConfigurationField[]])[] =>
  [...fieldManagers(callout)].filter(
    ([manager]) => manager !== nameless && !installers.test(manager) && !isKnown(manager, productOf(callout)),
  );

/** Whoever fills in the caBundle of a callout's product while it runs, whether or not it has yet. */
export const ownInjector = (callout: Callout): Writer | undefined =>
  productOf(callout)?.writers?.find(
    ({ fields, admissionOnly }) =>
      fields.includes('caBundle') && (callout.kind !== 'conversion' || admissionOnly !== true),
  );

/** `managedFields` says so. */
export const managedEvidence = (
  { ref }: Callout,
  manager: string,
  fields: readonly ConfigurationField[],
): Evidence => ({
  object: ref,
  field: 'metadata.managedFields',
  value: `${manager} wrote ${fields.join(', ')}`,
});

/** The annotation that asks a known process to write, and what it has written. */
export function writerEvidence(callout: Callout, { annotation, managers }: KnownWriter): readonly Evidence[] {
  const annotated =
    annotation === undefined
      ? []
      : [
          {
            object: callout.ref,
            field: `metadata.annotations["${annotation}"]`,
            value: callout.metadata.annotations?.[annotation] ?? '',
          },
        ];
  return [
    ...annotated,
    ...[...managers].map(([manager, fields]) => managedEvidence(callout, manager, fields)),
  ];
}
