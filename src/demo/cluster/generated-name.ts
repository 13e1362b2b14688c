import { createHash } from 'node:crypto';

/** The characters of generated names, which form no words (apimachinery util/rand). */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** The suffix of a generated name, derived from the seed so that it is the same in every run. */
export const generated = (seed: string, length: number): string =>
  [...createHash('sha256').update(seed).digest().subarray(0, length)]
    .map((byte) => letters[byte % letters.length])
    .join('');

/** The name of a Deployment's ReplicaSet. */
export const replicaSetName = (namespace: string, deployment: string, revision: number): string =>
  `${deployment}-${generated(`${namespace}/${deployment}/${revision}`, 10)}`;

/** The name of one of its Pods. */
export const replicaName = (replicaSet: string, ordinal: number): string =>
  `${replicaSet}-${generated(`${replicaSet}/${ordinal}`, 5)}`;
