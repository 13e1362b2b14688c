import { serviceSelects } from './label-selector.ts';
import type { PodTemplate } from './objects/pod.ts';
import type { Service } from './objects/service.ts';

/** It puts its configuration or its program where container runtimes look for those of the network: /etc/cni/net.d. */
export const isOfNetwork = ({ spec }: PodTemplate): boolean =>
  (spec.volumes ?? []).some(({ hostPath }) => /(^|\/)cni(?![a-z0-9])/.test(hostPath?.path ?? ''));

/** A cloud controller manager: it has a flag for its cloud, and tolerates uninitialized nodes. */
export const isOfCloud = ({ spec }: PodTemplate): boolean =>
  (spec.tolerations ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/uninitialized') &&
  spec.containers.some(({ command = [], args = [] }) =>
    [...command, ...args].some((word) => word.startsWith('--cloud-provider')),
  );

/** The socket by which the kubelet finds drivers of volumes. */
export const isOfVolumes = ({ spec }: PodTemplate): boolean =>
  (spec.volumes ?? []).some(({ hostPath }) => /\/plugins_registry\/?$/.test(hostPath?.path ?? ''));

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe80:)/i.test(address);

/**
 * A Service for names that leads to these Pods. Of the resolver's address `of`: that very Service; a cache on the node
 * has an address of its own, and asks whichever there is.
 */
export const isOfNames = (
  labels: Readonly<Record<string, string>>,
  namespace: string,
  services: Iterable<Service>,
  of: string | undefined,
): boolean =>
  [...services].some(({ metadata, spec }) => {
    const isAddressed =
      of === undefined || isLinkLocal(of) || spec.clusterIP === of || spec.clusterIPs?.includes(of);
    const resolves = spec.ports?.some(({ port }) => port === 53) === true;
    return (
      isAddressed === true &&
      resolves &&
      metadata.namespace === namespace &&
      serviceSelects(spec.selector, labels)
    );
  });

/**
 * Pods that listen at a port of their node: it is declared, or told by an argument (`--webhook-secure-port=10260`,
 * `:10260`), as whoever uses the network of the node need not declare it.
 */
export const listensOnNode = ({ spec }: PodTemplate, port: number): boolean =>
  spec.containers.some(
    ({ ports = [], command = [], args = [] }) =>
      ports.some(
        ({ containerPort, hostPort }) =>
          hostPort === port || (spec.hostNetwork === true && containerPort === port),
      ) ||
      (spec.hostNetwork === true &&
        [...command, ...args].some((word) => new RegExp(`(^|[=:])${port}$`).test(word))),
  );
