import { defined } from '../basics/collections.ts';
import type { LabelSelector, LabelSelectorRequirement } from './objects/label-selector.ts';
import type { Metadata } from './objects/metadata.ts';
import type { NetworkPolicy, NetworkPolicyPort } from './objects/network-policy.ts';

/** A NetworkPolicy, or a policy of a network plugin in its terms. */
export interface IngressPolicy extends NetworkPolicy {
  /** Absent: NetworkPolicy. */
  readonly kind?: string;
  /** The network plugin whose policy it is; absent for one of Kubernetes. */
  readonly plugin?: 'Calico' | 'Cilium';
  /** Rules that deny sources that are no Pods; without ports, on all ports. */
  readonly denies?: readonly { readonly ports: readonly NetworkPolicyPort[] }[];
}

/** A policy of a network plugin, as stored. */
interface PluginPolicy<Spec> {
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly spec?: Spec;
  /** Of Cilium: several in one object. */
  readonly specs?: readonly Spec[];
}

interface CiliumPorts {
  readonly toPorts?: readonly {
    readonly ports?: readonly {
      readonly port: string;
      readonly endPort?: number;
      readonly protocol?: string;
    }[];
  }[];
}
interface CiliumRule extends CiliumPorts {
  readonly fromEntities?: readonly string[];
  readonly fromCIDR?: readonly unknown[];
  readonly fromCIDRSet?: readonly unknown[];
  readonly fromEndpoints?: readonly unknown[];
  readonly fromRequires?: readonly unknown[];
  readonly fromNodes?: readonly unknown[];
  readonly fromGroups?: readonly unknown[];
}
interface CiliumSpec {
  readonly endpointSelector?: LabelSelector;
  readonly ingress?: readonly CiliumRule[];
  readonly ingressDeny?: readonly CiliumRule[];
  readonly enableDefaultDeny?: { readonly ingress?: boolean };
}

const podsOnly = { podSelector: {} } as const;

/**
 * The identities of connections from nodes, and from outside of the cluster. `kube-apiserver` alone does not match the
 * API server of a managed cluster, which arrives from a node or through an agent.
 */
const ofControlPlane = new Set(['all', 'cluster', 'host', 'remote-node', 'world', 'world-ipv4', 'unmanaged']);

/** True if a rule of Cilium matches addresses that are no Pods: without `from*` it matches everything. */
const isOpen = (rule: CiliumRule): boolean =>
  rule.fromEntities?.some((entity) => ofControlPlane.has(entity)) ??
  ((rule.fromCIDR ?? rule.fromCIDRSet ?? rule.fromNodes) !== undefined ||
    (rule.fromEndpoints ?? rule.fromRequires ?? rule.fromGroups) === undefined);

const portsOf = ({ toPorts = [] }: CiliumPorts): readonly NetworkPolicyPort[] =>
  toPorts.flatMap(({ ports = [] }) =>
    ports.map(({ port, endPort, protocol = 'ANY' }) => ({
      ...(port === '0' ? {} : { port: /^\d+$/.test(port) ? Number(port) : port }),
      ...defined({ endPort }),
      protocol: protocol === 'ANY' ? 'TCP' : protocol,
    })),
  );

/** Labels of Pods without the source `k8s`; selectors of other labels match no known label. */
const plainKeys = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  home: string | undefined,
): LabelSelector => {
  const plain = (key: string): string => key.replace(/^(?:k8s|any)[:.]/, '');
  const namespaceKey = 'io.kubernetes.pod.namespace';
  return {
    matchLabels: Object.fromEntries(
      Object.entries(matchLabels)
        .map(([key, value]) => [plain(key), value] as const)
        .filter(([key, value]) => key !== namespaceKey || value !== home),
    ),
    matchExpressions: matchExpressions.map((one) => ({ ...one, key: plain(one.key) })),
  };
};

/**
 * CiliumNetworkPolicy and CiliumClusterwideNetworkPolicy for the ingress of Pods, as NetworkPolicies with the same
 * effect on connections that come from no Pod.
 */
export const fromCilium = (
  { kind, metadata, spec, specs }: PluginPolicy<CiliumSpec>,
  home: string,
): readonly IngressPolicy[] =>
  [...(specs ?? []), ...(spec === undefined ? [] : [spec])].flatMap((one): readonly IngressPolicy[] => {
    const { endpointSelector, ingress, ingressDeny, enableDefaultDeny } = one;
    if (endpointSelector === undefined || (ingress ?? ingressDeny) === undefined) return [];
    const rules = (ingress ?? []).map((rule) => ({
      from: isOpen(rule) ? [] : [podsOnly],
      ports: portsOf(rule),
    }));
    return [
      {
        ...defined({ kind }),
        plugin: 'Cilium',
        metadata,
        spec: {
          podSelector: plainKeys(endpointSelector, home),
          policyTypes: enableDefaultDeny?.ingress === false ? [] : ['Ingress'],
          ingress: rules,
        },
        denies: (ingressDeny ?? []).filter(isOpen).map((rule) => ({ ports: portsOf(rule) })),
      },
    ];
  });

interface CalicoEntity {
  readonly selector?: string;
  readonly notSelector?: string;
  readonly namespaceSelector?: string;
  readonly serviceAccounts?: unknown;
  readonly nets?: readonly string[];
  readonly ports?: readonly (number | string)[];
}
interface CalicoSpec {
  readonly selector?: string;
  readonly namespaceSelector?: string;
  readonly types?: readonly string[];
  readonly ingress?: readonly {
    readonly action: string;
    readonly protocol?: number | string;
    readonly source?: CalicoEntity;
    readonly destination?: CalicoEntity;
  }[];
  readonly preDNAT?: boolean;
  readonly doNotTrack?: boolean;
}

const term =
  /^(?:(?<all>all\(\))|(?<not>!\s*)?has\((?<has>[^)]+)\)|(?<key>[\w./-]+)\s*(?:(?<equal>[!=]=)\s*(?<value>'[^']*'|"[^"]*")|(?<negated>not\s+)?in\s*\{(?<values>[^}]*)\}))$/;

/** A term of a selector of Calico; undefined if it has another form. */
function requirementOf(text: string): LabelSelectorRequirement | 'all' | undefined {
  const found = term.exec(text.trim())?.groups;
  if (found === undefined) return undefined;
  const { all, not, has, key, equal, value, negated, values = '' } = found;
  if (all !== undefined) return 'all';
  if (has !== undefined) return { key: has.trim(), operator: not === undefined ? 'Exists' : 'DoesNotExist' };
  const list = value === undefined ? values.split(',') : [value];
  const isNegative = equal === '!=' || negated !== undefined;
  return {
    key: key ?? '',
    operator: isNegative ? 'NotIn' : 'In',
    values: list.map((one) => one.trim().replace(/^['"]|['"]$/g, '')),
  };
}

/** Labels that Calico adds to Pods by their namespace. */
const byNamespace = new Set([
  'projectcalico.org/namespace',
  'projectcalico.org/name',
  'kubernetes.io/metadata.name',
]);

/** A conjunction of terms as label selector of Pods; undefined if it matches none, or has another form. */
function calicoSelector(text: string, home: string): LabelSelector | undefined {
  if (text.includes('||')) return undefined;
  const terms = text.trim() === '' ? [] : text.split('&&').map(requirementOf);
  const requirements: LabelSelectorRequirement[] = [];
  for (const one of terms) {
    if (one === undefined) return undefined;
    if (one === 'all') continue;
    if (!byNamespace.has(one.key)) requirements.push(one);
    else if ((one.values ?? []).includes(home) !== (one.operator === 'In')) return undefined;
  }
  return { matchExpressions: requirements };
}

const isOfAddresses = ({
  selector,
  notSelector,
  namespaceSelector,
  serviceAccounts,
}: CalicoEntity): boolean => (selector ?? notSelector ?? namespaceSelector ?? serviceAccounts) === undefined;

const calicoPort = (port: number | string): NetworkPolicyPort => {
  const [from, to] = `${port}`.split(':');
  if (to === undefined) return { port };
  return { port: Number(from), endPort: Number(to) };
};

/**
 * NetworkPolicy and GlobalNetworkPolicy of Calico for the ingress of Pods in a namespace, as a NetworkPolicy with the
 * same effect on connections that come from no Pod. Rules after a Deny of all sources are left out.
 */
export function fromCalico(
  { kind, metadata, spec }: PluginPolicy<CalicoSpec>,
  home: string,
): readonly IngressPolicy[] {
  const { selector = '', namespaceSelector = '', types = ['Ingress'], ingress = [] } = spec ?? {};
  if (spec === undefined || !types.includes('Ingress') || (spec.preDNAT ?? spec.doNotTrack) === true)
    return [];
  const podSelector = calicoSelector([selector, namespaceSelector].filter(Boolean).join(' && '), home);
  if (podSelector === undefined) return [];
  const end = ingress.findIndex(({ action, source = {}, destination, protocol }) => {
    const isUnlimited =
      destination?.ports === undefined && source.nets === undefined && protocol === undefined;
    return action === 'Deny' && isOfAddresses(source) && isUnlimited;
  });
  const rules = ingress
    .slice(0, end < 0 ? ingress.length : end)
    .filter(
      ({ action, protocol = 'TCP' }) => /^(?:Allow|Pass)$/.test(action) && /^(?:TCP|6)$/i.test(`${protocol}`),
    )
    .map(({ source = {}, destination }) => ({
      from: isOfAddresses(source) ? [] : [podsOnly],
      ports: (destination?.ports ?? []).map(calicoPort),
    }));
  return [
    {
      ...defined({ kind }),
      plugin: 'Calico',
      metadata,
      spec: { podSelector, policyTypes: ['Ingress'], ingress: rules },
    },
  ];
}
