import { isNetworkFault } from '../../apiserver/connection/call-result.ts';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCall, ownCallEndedIn } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { respondsInTime } from '../../apiserver/connection/response-times.ts';
import { parseAddress } from '../../apiserver/go/ip-address.ts';
import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import { derive } from '../../basics/derive.ts';
import { urlHost } from '../../basics/url.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { defineCheck, undecided } from '../check.ts';

/** Failures before any response, except timeouts of a slow server. */
const onTheWay = [
  'connection-refused',
  'no-route',
  'not-permitted',
  'network-unreachable',
  'connect-timeout',
] as const;

/** Timeouts that a slow server causes as well, but not one that responds to this machine in time. */
const timeouts = ['deadline', 'handshake-timeout'] as const;

/** IPv4 as a number; undefined for other texts. */
function ipv4(text: string): number | undefined {
  const bytes = parseAddress(text);
  return bytes?.length === 4 ? bytes.readUInt32BE() : undefined;
}

/** The IPv4 ClusterIPs of all Services, ascending. */
const clusterIps = derive(['services'], ({ services }: Pick<Facts, 'services'>): readonly number[] =>
  services
    .all()
    .flatMap(({ spec: { clusterIP = '', clusterIPs = [clusterIP] } }) =>
      clusterIPs.flatMap((ip) => ipv4(ip) ?? []),
    )
    .toSorted((a, b) => a - b),
);

/** Two ClusterIPs that are nearer are of one range: no cluster needs a second one (--service-cluster-ip-range) there. */
const withinRange = 2 ** 16;

/**
 * The address of a URL between two ClusterIPs, if no Service has it; undefined if not all Services were read. In a
 * cluster with several ranges of ClusterIPs (ServiceCIDR), it can be that of another server.
 */
function unusedClusterIp(url: string, facts: Pick<Facts, 'services'>): string | undefined {
  const host = urlHost(url) ?? '';
  const address = ipv4(host);
  if (address === undefined || facts.services.incomplete !== undefined) return undefined;
  const ips = clusterIps(facts);
  const below = ips.findLast((ip) => ip <= address);
  const above = ips.find((ip) => ip > address);
  if (below === undefined || below === address || above === undefined) return undefined;
  return above - below < withinRange ? host : undefined;
}

export const urlUnreachable = defineCheck({
  meta: {
    id: 'url-unreachable',
    title: 'No response from the URL',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The API server connects to the URL from its own host, outside the cluster network. A firewall may treat it and the machine that runs this command differently.',
    advice:
      '[look] Check that the server runs, and connect to the URL from a control plane node with `curl -vk`. [end] If the URL is wrong, correct `clientConfig.url`: `kubectl edit {kind} {configuration}`. [end] If a managed control plane cannot connect to other networks, run the server in the cluster, and refer to its Service. [with] GKE blocks calls to URLs if the egress of the control plane is set to `NONE`.',
    noRemedy: 'in-the-network',
    messages: {
      unreached: 'No response from {replicas}: {detail}; a dry run fails as well',
      noService: {
        text: 'No response from the address {host} of the URL, which is between ClusterIPs, and no Service has it: {detail}',
        advice:
          '[end] If the address was the ClusterIP of a Service, that Service was deleted, or created again with another ClusterIP. [end] Name the Service (`clientConfig.service`) in place of the URL: `kubectl edit {kind} {configuration}`. [end] If the address belongs to another server, check that this server runs.',
      },
      itself: 'The API server gets no response from the URL: {detail}',
      here: undecided(
        'No response from {replicas} to this machine: {detail}; it is unknown whether the API server gets one',
      ),
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#url'],
    preventsReadiness: true,
    follows: ['bootstrap-deadlock', 'url-in-cluster-name', 'url-loopback'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(isUrlBacked),
  run(callout, facts, find) {
    const found = failingServers(
      callout,
      facts,
      ({ callResult }) => isNetworkFault(callResult.fault) && callResult.fault !== 'unresolved',
    );
    if (found === undefined) {
      const kinds = respondsInTime(callout, facts) ? [...onTheWay, ...timeouts] : onTheWay;
      const own = ownCallEndedIn(callout, facts, kinds);
      // The target of a redirect is a different URL.
      const quoted = `"${calloutUrl(callout)}?`;
      if (!own?.evidence.some(({ value }) => value.includes(quoted))) return undefined;
      return find('itself', { detail: own.detail }, own.evidence);
    }
    const own = ownCall(callout, facts);
    if (own === 'passes') return undefined;
    const host = own === 'fails' ? unusedClusterIp(callout.client.url, facts) : undefined;
    if (host !== undefined) return find('noService', { host, detail: found.data.detail }, found.evidence);
    return find(own === 'fails' ? 'unreached' : 'here', found.data, found.evidence);
  },
});
