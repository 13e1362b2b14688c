import { networkContains } from '../apiserver/cel/network-functions.ts';
import type { IpBlock } from '../facts/objects/network-policy.ts';
import type { Facts } from '../facts/snapshot.ts';

/** An address and port of the API server, behind the Service `kubernetes`. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** Those of the EndpointSlices of default/kubernetes, which the API servers write; none if they were not read. */
export const apiServerAddresses = ({
  endpointSlices,
}: Pick<Facts, 'endpointSlices'>): readonly ServerAddress[] =>
  (endpointSlices.getIfKnown('default/kubernetes') ?? []).flatMap(({ endpoints, ports }) =>
    (endpoints ?? []).flatMap(({ addresses }) =>
      addresses.flatMap((address) =>
        (ports ?? []).flatMap(({ port }) => (port === undefined ? [] : [{ address, port }])),
      ),
    ),
  );

/** True if a NetworkPolicy with this block allows the address: `except` is within `cidr`, and is not allowed. */
export const blockContains = ({ cidr, except = [] }: IpBlock, address: string): boolean =>
  networkContains(cidr, address) && !except.some((one) => networkContains(one, address));
