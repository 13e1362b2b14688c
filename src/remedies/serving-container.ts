import type { Container } from '../facts/objects/pod.ts';
import type { ServicePort } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';

/** The container behind a Service's port, its place among the others, and the number of its port. */
export interface ServingContainer {
  readonly container: Container;
  readonly index: number;
  readonly port: number;
}

/** The container that declares the port; undefined where none or several do, or where an init container would. */
export function servingContainer({ spec }: Workload, service: ServicePort): ServingContainer | undefined {
  const wanted = service.targetPort ?? service.port;
  const found = spec.template.spec.containers.flatMap((container, index) =>
    (container.ports ?? [])
      .filter(({ name, containerPort }) => name === wanted || containerPort === wanted)
      .map(({ containerPort }) => ({ container, index, port: containerPort })),
  );
  return found.length === 1 ? found[0] : undefined;
}
