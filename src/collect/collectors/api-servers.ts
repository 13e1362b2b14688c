import type { BaseFacts } from '../base.ts';

/** A control plane has three, five or seven. */
const most = 16;

const withoutDefault = (host: string): string => host.replace(/:443$/, '');

/**
 * `address:port` of the cluster's API servers, from the EndpointSlices of the Service default/kubernetes, which they keep
 * themselves; none where those could not be read. The one that `server` names is left out.
 */
export function otherApiServers(
  { endpointSlices }: Pick<BaseFacts, 'endpointSlices'>,
  server: string,
): readonly string[] {
  if (!endpointSlices.known('default/kubernetes')) return [];
  const slices = endpointSlices.get('default/kubernetes') ?? [];
  const addresses = slices
    .filter(({ addressType }) => addressType !== 'FQDN')
    .flatMap(({ addressType, ports, endpoints }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap((endpoint) => endpoint.addresses)
        .flatMap((address) =>
          (ports ?? []).map(
            ({ port = 443 }) => `${addressType === 'IPv6' ? `[${address}]` : address}:${port}`,
          ),
        ),
    );
  const host = URL.canParse(server) ? new URL(server).host : undefined;
  return [...new Set(addresses)].filter((address) => withoutDefault(address) !== host).slice(0, most);
}
