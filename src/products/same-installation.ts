import type { Workload } from '../facts/objects/workload.ts';
import { helmRelease } from './of-metadata.ts';

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
