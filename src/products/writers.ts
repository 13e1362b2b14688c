import { remembered } from '../basics/derive.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { nameless } from '../facts/objects/metadata.ts';
import { products } from './catalogue.ts';
import { isPersonOrTool, writesDeclaredState } from './declaring-tools.ts';
import { fieldManagers } from './field-managers.ts';
import { productOf } from './of-webhook.ts';
import type { ConfigurationField, Product, Writer } from './product.ts';

/** A process that writes a callout's object, and the evidence for it. */
export interface KnownWriter {
  readonly writer: Writer;
  /** The fields that it has written; if it was only requested, those that it is known to write. */
  readonly fields: readonly ConfigurationField[];
  /** The annotation that requests its writes. */
  readonly annotation?: string;
  /** Its field managers, with the fields that each has written. */
  readonly managers: ReadonlyMap<string, readonly ConfigurationField[]>;
}

const writersOf = ({ writers = [] }: Product): readonly Writer[] => writers;

const everyWriter = products.flatMap((product) => writersOf(product).map((writer) => ({ writer, product })));

/** Field manager names that many programs have, because client-go uses the name of the binary by default. */
export const commonNames: ReadonlySet<string> = new Set([
  'manager',
  'controller',
  'operator',
  'webhook',
  'injector',
  'admission-controller',
]);

/** True if a field manager's name identifies a writer: a common name does so for its own product only. */
const showsProduct = (manager: string, isItsOwn: boolean): boolean => isItsOwn || !commonNames.has(manager);

/** Indexes of writers by each annotation and each field manager that identifies them. */
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
        (manager) => written.has(manager) && showsProduct(manager, product === own),
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

/** Known processes that an annotation requests, or that have written. */
export const knownWriters = remembered(findWriters);

const isKnown = (manager: string, own: Product | undefined): boolean =>
  everyWriter.some(
    ({ writer, product }) => writer.managers.includes(manager) && showsProduct(manager, product === own),
  );

/** Field managers of no known product, normally an operator. Each with the fields that it wrote. */
export const unknownWriters = (
  callout: Callout,
): readonly (readonly [manager: string, fields: readonly ConfigurationField[]])[] =>
  [...fieldManagers(callout)].filter(
    ([manager]) =>
      manager !== nameless &&
      !isPersonOrTool(manager) &&
      !writesDeclaredState(manager) &&
      !isKnown(manager, productOf(callout)),
  );

/** True if a Job wrote the caBundle: no running process does. */
export const isWrittenByJob = (callout: Callout): boolean =>
  knownWriters(callout).some(
    ({ writer, managers }) => writer.isJob === true && [...managers.values()].flat().includes('caBundle'),
  );

/** The process of a callout's product that sets its caBundle at runtime, whether it has yet or not. */
export const ownInjector = (callout: Callout): Writer | undefined =>
  productOf(callout)?.writers?.find(
    ({ fields, admissionOnly }) =>
      fields.includes('caBundle') && (callout.kind !== 'conversion' || admissionOnly !== true),
  );

/** True if a process of a product runs in the Pods of a callout: a restart of them restarts it. */
export const runsInBackend = (
  { services }: Pick<Writer, 'services'>,
  { client }: Pick<Callout, 'client'>,
): boolean => services?.some((end) => client.service?.name.endsWith(end)) ?? true;

/** The evidence for a writer in `managedFields`. */
export const managedEvidence = (
  { ref }: Callout,
  manager: string,
  fields: readonly ConfigurationField[],
): Evidence => ({
  object: ref,
  field: 'metadata.managedFields',
  value: `${manager} wrote ${fields.join(', ')}`,
});

/** The annotation that requests a known process, and the fields that it has written. */
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
