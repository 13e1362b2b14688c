import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, lists, slice } from '../../support/snapshot.ts';

/** The EndpointSlice of a Service without Pods: it contains no endpoint. */
export const emptySlice: EndpointSlice = slice([], { ports: null });

/** The backend of the snapshot without Pods and endpoints; its workload exists. */
export const empty = (over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    endpointSlices: lists({ 'shop/policy': [emptySlice] }),
    pods: lists({ 'shop/policy': [] }),
    ...over,
  });
