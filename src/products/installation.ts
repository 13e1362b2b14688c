import { remembered } from '../basics/derive.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { type HelmRelease, helmRelease } from './of-metadata.ts';
import { productOf } from './of-webhook.ts';

/** The installation that a callout's object belongs to. */
export interface Installation {
  /** Its name for messages: `Helm release shop/acme`. */
  readonly name: string;
  /** Words that identify the other objects of the installation. */
  readonly words: readonly string[];
  /** The namespace of a Helm release's state. */
  readonly namespace?: string;
  readonly evidence: Evidence;
}

/** Labels that distinguish installations (kubernetes.io, recommended labels). */
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

/** The installation by Helm's annotations or known products; undefined if it may be created manually. */
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

/** The first part of a name, which identifies its product best: `acme-webhook`, `acme-controller`. */
const stem = (name: string): string => name.split('-')[0] ?? name;

/** The names and labels of a workload, which is compared with many webhooks. */
const wordsOf = remembered(({ metadata, spec }: Workload): readonly string[] => [
  metadata.name,
  ...labelWords(metadata.labels),
  ...labelWords(spec.template.metadata?.labels),
  ...namesOf(helmRelease(metadata)),
]);

/** True if a workload may belong to the installation, or to the missing Service. Prefers false positives. */
export const belongsTo = (workload: Workload, words: readonly string[]): boolean =>
  words.some((word) => wordsOf(workload).some((name) => name.includes(word) || stem(name) === stem(word)));

/** Labels whose value the parts of one product share (kubernetes.io, recommended labels, and older ones). */
const marks = ['app.kubernetes.io/instance', 'app.kubernetes.io/part-of', 'app.kubernetes.io/name', 'app'];

/** An image without its tag and digest. */
const repository = (image: string): string => image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');

const imagesOf = ({ spec }: Workload): readonly string[] =>
  spec.template.spec.containers.flatMap(({ image }) => (image === undefined ? [] : [repository(image)]));

const releaseOf = ({ metadata }: Workload): string | undefined => {
  const release = helmRelease(metadata);
  return release && `${release.namespace}/${release.name}`;
};

/** True if two workloads of a namespace are of one installation: by label, Helm release or image. */
export function isSameInstallation(a: Workload, b: Workload): boolean {
  const [here, there] = [a.metadata.labels ?? {}, b.metadata.labels ?? {}];
  if (marks.some((mark) => here[mark] !== undefined && here[mark] === there[mark])) return true;
  if (releaseOf(a) !== undefined && releaseOf(a) === releaseOf(b)) return true;
  const images = imagesOf(b);
  return imagesOf(a).some((image) => images.includes(image));
}
