// Compares src/facts/objects.ts with the published API by types: `npm run lint` fails here if a field
// does not exist or has another type. Our types contain only the fields that are read.
import type * as api from '@kubernetes/client-node';
import type { admissionCallouts } from '../../src/facts/callout-of.ts';
import type { EndpointSlice } from '../../src/facts/objects/endpoint-slice.ts';
import type { Event } from '../../src/facts/objects/event.ts';
import type { Lease } from '../../src/facts/objects/lease.ts';
import type { Namespace } from '../../src/facts/objects/namespace.ts';
import type { NetworkPolicy } from '../../src/facts/objects/network-policy.ts';
import type { Node } from '../../src/facts/objects/node.ts';
import type { Pod } from '../../src/facts/objects/pod.ts';
import type { PodController } from '../../src/facts/objects/pod-controller.ts';
import type { Autoscaler, DisruptionBudget } from '../../src/facts/objects/scaling.ts';
import type { Service } from '../../src/facts/objects/service.ts';
import type { Workload } from '../../src/facts/objects/workload.ts';

/** The keys of every member of a union, with their types. */
type Keys<T> = T extends unknown ? keyof T & string : never;
type At<T, Key> = T extends unknown ? (Key extends keyof T ? NonNullable<T[Key]> : never) : never;

/** The generator renames reserved words of other languages. */
type Generated<Key> = Key extends 'from' ? '_from' : Key;

/** As JSON has it: client-node makes dates of times. */
type Json<T> = T extends Date ? string : T;
type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;

/** The paths in `Ours` that are not in `Theirs`, or have another type there. */
type Invented<Ours, Theirs, Path extends string = ''> = unknown extends Ours
  ? never
  : unknown extends Theirs
    ? never
    : [Theirs] extends [never]
      ? Path
      : [Ours] extends [string | number | boolean]
        ? [Json<Theirs>, Ours] extends [Widened<Ours>, Json<Theirs>]
          ? never
          : Path
        : [Ours] extends [readonly (infer One)[]]
          ? [Theirs] extends [readonly (infer Other)[]]
            ? Invented<One, Other, `${Path}[]`>
            : Path
          : string extends keyof Ours
            ? Invented<At<Ours, string>, At<Theirs, string>, `${Path}.*`>
            : {
                [Key in Keys<Ours>]: Invented<At<Ours, Key>, At<Theirs, Generated<Key>>, `${Path}.${Key}`>;
              }[Keys<Ours>];

/** Does not compile unless every path of the object is in the API, except the kind of objects from lists. */
type Holds<Ours, Theirs> = [Invented<Omit<Ours, 'kind'>, Theirs>] extends [never]
  ? true
  : Invented<Omit<Ours, 'kind'>, Theirs>;

type WebhookConfiguration = Parameters<typeof admissionCallouts>[1];

const held: readonly [
  Holds<Autoscaler, api.V2HorizontalPodAutoscaler>,
  Holds<DisruptionBudget, api.V1PodDisruptionBudget>,
  Holds<EndpointSlice, api.V1EndpointSlice>,
  Holds<Event, api.CoreV1Event>,
  Holds<Lease, api.V1Lease>,
  Holds<Namespace, api.V1Namespace>,
  Holds<NetworkPolicy, api.V1NetworkPolicy>,
  Holds<Node, api.V1Node>,
  Holds<Pod, api.V1Pod>,
  Holds<PodController, api.V1Deployment | api.V1ReplicaSet | api.V1StatefulSet | api.V1DaemonSet | api.V1Job>,
  Holds<Service, api.V1Service>,
  Holds<WebhookConfiguration, api.V1MutatingWebhookConfiguration | api.V1ValidatingWebhookConfiguration>,
  Holds<Workload, api.V1Deployment | api.V1ReplicaSet | api.V1StatefulSet | api.V1DaemonSet>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true];
void held;
