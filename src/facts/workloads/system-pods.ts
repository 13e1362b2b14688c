import { selectsPod } from '../objects/label-selector.ts';
import type { PodTemplate } from '../objects/pod.ts';
import type { Service } from '../objects/service.ts';

/** True for a network plugin: it mounts a CNI directory of the node, such as /etc/cni/net.d. */
export const isOfNetwork = ({ spec }: PodTemplate): boolean =>
  (spec.volumes ?? []).some(({ hostPath }) => /(^|\/)cni(?![a-z0-9])/.test(hostPath?.path ?? ''));

/** True for a cloud controller manager: it has a flag for its cloud, and tolerates uninitialized nodes. */
export const isOfCloud = ({ spec }: PodTemplate): boolean =>
  (spec.tolerations ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/uninitialized') &&
  spec.containers.some(({ command = [], args = [] }) =>
    [...command, ...args].some((word) => word.startsWith('--cloud-provider')),
  );

/** True for a volume driver: it mounts the directory for registration with the kubelet. */
export const isOfVolumes = ({ spec }: PodTemplate): boolean =>
  (spec.volumes ?? []).some(({ hostPath }) => /\/plugins_registry\/?$/.test(hostPath?.path ?? ''));

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe80:)/i.test(address);

/** The Service of cluster DNS: its name is the same for CoreDNS and kube-dns. */
export const clusterDns = 'kube-system/kube-dns';

/**
 * True if a DNS Service selects these Pods. For the DNS server's address `of`: that Service; a cache on the
 * node has its own address and forwards to any.
 */
export const isOfNames = (
  labels: Readonly<Record<string, string>>,
  namespace: string,
  services: Iterable<Service>,
  of: string | undefined,
): boolean =>
  [...services].some((service) => {
    const { spec } = service;
    const isAddressed =
      of === undefined || isLinkLocal(of) || spec.clusterIP === of || spec.clusterIPs?.includes(of);
    const resolves = spec.ports?.some(({ port }) => port === 53) === true;
    return isAddressed === true && resolves && selectsPod(service, { namespace, labels });
  });

/**
 * True for Pods that listen on a port of their node: it is declared, or in an argument
 * (`--webhook-secure-port=10260`, `:10260`), because Pods on the host network need not declare it.
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
