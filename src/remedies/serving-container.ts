import type { Callout } from '../facts/callout.ts';
import type { Container, ServicePort, Workload } from '../facts/objects.ts';
import type { Facts } from '../facts/snapshot.ts';
import { portBehind, serviceBehind, workloadBehind } from './backend.ts';

/** The container behind a Service port, its index, and its port number. */
interface ServingContainer {
  readonly container: Container;
  readonly index: number;
  readonly port: number;
}

/** The container that declares the port; undefined if none or several do, or if an init container does. */
function servingContainer({ spec }: Workload, service: ServicePort): ServingContainer | undefined {
  const wanted = service.targetPort ?? service.port;
  const found = spec.template.spec.containers.flatMap((container, index) =>
    (container.ports ?? [])
      .filter(({ name, containerPort }) => name === wanted || containerPort === wanted)
      .map(({ containerPort }) => ({ container, index, port: containerPort })),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The workload of a webhook, and its container behind the Service port; undefined if either is ambiguous. */
export function servingBehind(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads'>,
): { readonly workload: Workload; readonly serving: ServingContainer } | undefined {
  const service = serviceBehind(callout, facts);
  const workload = workloadBehind(callout, facts);
  const port = service && portBehind(callout, service);
  const serving = workload && port && servingContainer(workload, port);
  return workload && serving && { workload, serving };
}
