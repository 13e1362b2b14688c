import { type Callout, isAdmission } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { type HelmRelease, helmRelease } from './of-metadata.ts';
import { productOf } from './of-webhook.ts';

/** What a callout's object shows of the installation that it came with. */
export interface Installation {
  /** In words: `Helm release shop/acme`. */
  readonly name: string;
  /** Words by which what else belongs to it can be known. */
  readonly words: readonly string[];
  /** Where a Helm release keeps its state. */
  readonly namespace?: string;
  readonly evidence: Evidence;
}

/** Labels that tell one installation from another (kubernetes.io, recommended labels). */
const nameLabels = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/name',
  'app.kubernetes.io/part-of',
  'app',
];

const labelWords = (labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  nameLabels.flatMap((key) => labels[key] ?? []);

function ofProduct(callout: Callout): Installation | undefined {
  const product = productOf(callout);
  if (product === undefined) return undefined;
  const { ref, index, webhook } = callout;
  const field = isAdmission(callout) ? `webhooks[${index}].name` : 'metadata.name';
  return {
    name: product.name,
    words: product.workloads ?? [],
    evidence: { object: ref, field, value: webhook },
  };
}

/** By Helm's annotations, or by what is known of products. Undefined for what may be made by hand. */
export function installationOf(callout: Callout): Installation | undefined {
  const release = helmRelease(callout.metadata);
  const product = ofProduct(callout);
  const words = [...labelWords(callout.metadata.labels), ...(product?.words ?? []), ...namesOf(release)];
  if (release === undefined) return product === undefined ? undefined : { ...product, words };
  const field = 'metadata.annotations["meta.helm.sh/release-name"]';
  return {
    name: `Helm release ${release.namespace}/${release.name}`,
    words,
    namespace: release.namespace,
    evidence: { object: callout.ref, field, value: release.name },
  };
}

const namesOf = (release: HelmRelease | undefined): readonly string[] =>
  release === undefined ? [] : [release.name];

/** The first part of a name says more about whose it is than what follows: `acme-webhook`, `acme-controller`. */
const stem = (name: string): string => name.split('-')[0] ?? name;

/** Whether a workload may belong to the installation, or to the Service that is missing. Rather too often than not. */
export const belongsTo = ({ metadata, spec }: Workload, words: readonly string[]): boolean => {
  const own = [
    metadata.name,
    ...labelWords(metadata.labels),
    ...labelWords(spec.template.metadata?.labels),
    ...namesOf(helmRelease(metadata)),
  ];
  return words.some((word) => own.some((name) => name.includes(word) || stem(name) === stem(word)));
};

/** Labels whose value parts of one product have in common (kubernetes.io, recommended labels, and what came before). */
const marks = ['app.kubernetes.io/instance', 'app.kubernetes.io/part-of', 'app.kubernetes.io/name', 'app'];

/** An image without registry mirror's tag and digest. */
const repository = (image: string): string => image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');

const imagesOf = ({ spec }: Workload): readonly string[] =>
  spec.template.spec.containers.flatMap(({ image }) => (image === undefined ? [] : [repository(image)]));

const releaseOf = ({ metadata }: Workload): string | undefined => {
  const release = helmRelease(metadata);
  return release && `${release.namespace}/${release.name}`;
};

/** Whether two workloads of a namespace came together: by label, Helm release, or because they run the same image. */
export function isSameInstallation(a: Workload, b: Workload): boolean {
  const [here, there] = [a.metadata.labels ?? {}, b.metadata.labels ?? {}];
  if (marks.some((mark) => here[mark] !== undefined && here[mark] === there[mark])) return true;
  if (releaseOf(a) !== undefined && releaseOf(a) === releaseOf(b)) return true;
  const images = imagesOf(b);
  return imagesOf(a).some((image) => images.includes(image));
}
