import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, lists, slice } from '../../support/snapshot.ts';

/** What the endpoint controller leaves for a Service without Pods: a slice with nothing in it. */
export const emptySlice: EndpointSlice = slice([], { ports: null });

/** The backend of the snapshot without a Pod and without an endpoint; its workload is there. */
export const empty = (over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    endpointSlices: lists({ 'shop/policy': [emptySlice] }),
    pods: lists({ 'shop/policy': [] }),
    ...over,
  });
